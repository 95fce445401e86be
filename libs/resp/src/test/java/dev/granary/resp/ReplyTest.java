package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.resp.Reply.Bulk;
import dev.granary.resp.Reply.Elements;
import dev.granary.resp.Reply.Failure;
import dev.granary.resp.Reply.Text;
import dev.granary.resp.Reply.WholeNumber;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@link Reply} reads what {@link ReplyWriter} writes; {@link RequestWriter} writes what {@link RequestDecoder} reads.
 */
class ReplyTest {

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(@Nullable Reply reply) {
        return switch (reply) {
            case null -> "not whole";
            case Bulk bulk -> "'" + new String(bulk.bytes(), StandardCharsets.UTF_8) + "'";
            case Elements array ->
                array.elements().stream().map(ReplyTest::text).toList().toString();
            default -> reply.toString();
        };
    }

    @Test
    void read_repliesOfTheWriter_areAsWritten() {
        ByteBuf out = Unpooled.buffer();
        ReplyWriter writer = new ReplyWriter(out, Protocol.RESP2);
        writer.simple("OK");
        writer.error("ERR why");
        writer.integer(-7);
        writer.bulk(utf8("a\r\nb"));
        writer.nothing();
        writer.noArray();
        writer.array(2);
        writer.array(0);
        writer.bulk(utf8(""));
        assertThat(Reply.read(out)).isEqualTo(new Text("OK"));
        assertThat(Reply.read(out)).isEqualTo(new Failure("ERR why"));
        assertThat(Reply.read(out)).isEqualTo(new WholeNumber(-7));
        assertThat(text(Reply.read(out))).isEqualTo("'a\r\nb'");
        assertThat(Reply.read(out)).isEqualTo(Reply.NOTHING);
        assertThat(Reply.read(out)).isEqualTo(Reply.NOTHING);
        assertThat(text(Reply.read(out))).isEqualTo("[[], '']");
        assertThat(out.readableBytes()).isZero();
    }

    @Test
    void read_everyBeginningOfAReply_isNotWholeAndTakesNothing() {
        String whole = "*3\r\n$2\r\nab\r\n:17\r\n*1\r\n+OK\r\n";
        for (int length = 0; length < whole.length(); length++) {
            ByteBuf part = bytes(whole.substring(0, length));
            assertThat(Reply.read(part)).as(length + " bytes").isNull();
            assertThat(part.readableBytes()).isEqualTo(length);
        }
        assertThat(text(Reply.read(bytes(whole)))).isEqualTo("['ab', WholeNumber[value=17], [Text[text=OK]]]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"?1\r\n", ":x\r\n", "$1x\r\n"})
    void read_otherBytes_areRefused(String text) {
        assertThatThrownBy(() -> Reply.read(bytes(text))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void read_arraysInArraysWithoutEnd_areRefused() {
        assertThatThrownBy(() -> Reply.read(bytes("*1\r\n".repeat(1_000))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("deep");
    }

    @Test
    void write_request_isReadByTheDecoder() {
        byte[][] arguments = {utf8("SET"), utf8("a key"), new byte[] {0, '\r', '\n', -1}};
        ByteBuf out = Unpooled.buffer();
        RequestWriter.write(out, arguments);
        assertThat(out.readableBytes()).isLessThanOrEqualTo(RequestWriter.maxBytes(arguments));
        try (RequestDecoder decoder =
                new RequestDecoder(RequestLimits.DEFAULT, Unpooled.buffer().alloc())) {
            decoder.authenticated(true);
            decoder.add(out);
            assertThat(decoder.next()).isEqualTo(RequestDecoder.Step.REQUEST);
            Request request = decoder.request();
            for (int i = 0; i < arguments.length; i++) {
                byte[] read = ByteBufUtil.getBytes(request.buffer(), request.start(i), request.length(i));
                assertThat(read).as("argument " + i).isEqualTo(arguments[i]);
            }
        }
    }
}
