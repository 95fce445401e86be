package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyWriterTest {

    private static final byte[] TEXT = Wire.bytes("a\r\nb");

    static Stream<Arguments> replies() {
        return Stream.of(
                reply("simple string", out -> out.simple("OK"), "+OK|", "+OK|"),
                reply(
                        "error",
                        out -> out.error("ERR no\r\nway \u00e9"),
                        "-ERR no  way \u00e9|",
                        "-ERR no  way \u00e9|"),
                reply("integer", out -> out.integer(-42), ":-42|", ":-42|"),
                reply("bulk string", out -> out.bulk(TEXT), "$4|a|b|", "$4|a|b|"),
                reply("part of a buffer", out -> out.bulk(Unpooled.wrappedBuffer(TEXT), 3, 1), "$1|b|", "$1|b|"),
                reply("empty bulk string", out -> out.bulk(""), "$0||", "$0||"),
                reply("text", out -> out.bulk("\u00e9"), "$2|\u00c3\u00a9|", "$2|\u00c3\u00a9|"),
                reply("number as a bulk string", out -> out.bulk(-1234), "$5|-1234|", "$5|-1234|"),
                reply("nothing", ReplyWriter::nothing, "$-1|", "_|"),
                reply("no array", ReplyWriter::noArray, "*-1|", "_|"),
                reply("array", out -> out.array(12), "*12|", "*12|"),
                reply("map", out -> out.map(5), "*10|", "%5|"),
                reply("set", out -> out.set(3), "*3|", "~3|"),
                reply("push", out -> out.push(3), "*3|", ">3|"),
                reply("yes", out -> out.bool(true), ":1|", "#t|"),
                reply("no", out -> out.bool(false), ":0|", "#f|"),
                reply("fraction", out -> out.real(0.1), "$3|0.1|", ",0.1|"),
                reply("infinity", out -> out.real(Double.POSITIVE_INFINITY), "$3|inf|", ",inf|"),
                reply(
                        "big number",
                        out -> out.big("12345678901234567890"),
                        "$20|12345678901234567890|",
                        "(12345678901234567890|"),
                reply("verbatim string", out -> out.verbatim("txt", TEXT), "$4|a|b|", "=8|txt:a|b|"));
    }

    private static Arguments reply(String name, Consumer<ReplyWriter> reply, String resp2, String resp3) {
        return Arguments.of(name, reply, resp2.replace("|", "\r\n"), resp3.replace("|", "\r\n"));
    }

    private static String written(Protocol protocol, Consumer<ReplyWriter> reply) {
        // No room to begin with: the writer makes it.
        ByteBuf out = Unpooled.buffer(0);
        reply.accept(new ReplyWriter(out, protocol));
        return Wire.text(out);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("replies")
    void reply_ofEachType_hasTheseBytes(String name, Consumer<ReplyWriter> reply, String resp2, String resp3) {
        assertThat(written(Protocol.RESP2, reply)).as(name).isEqualTo(resp2);
        assertThat(written(Protocol.RESP3, reply)).as(name).isEqualTo(resp3);
    }

    @Test
    void error_charactersThatAreNoBytes_cannotEndTheReply() {
        assertThat(written(Protocol.RESP2, out -> out.error("ERR \u010d\u010a:1\u20ac")))
                .isEqualTo("-ERR ??:1?\r\n");
    }

    @Test
    void attribute_inResp2_isRefused() {
        assertThat(written(Protocol.RESP3, out -> out.attribute(1))).isEqualTo("|1\r\n");
        assertThatThrownBy(() -> written(Protocol.RESP2, out -> out.attribute(1)))
                .isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 9, 10, 99, 100, -1, -10, 1234567890123456789L, Long.MAX_VALUE, Long.MIN_VALUE})
    void integer_ofEachLength_isWritten(long value) {
        assertThat(written(Protocol.RESP2, out -> out.integer(value))).isEqualTo(":" + value + "\r\n");
        String digits = String.valueOf(value);
        assertThat(written(Protocol.RESP2, out -> out.bulk(value)))
                .isEqualTo("$" + digits.length() + "\r\n" + digits + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 10, 99, 100, 12_345})
    void endArray_ofAsManyElementsAsCame_isWrittenLikeOneWhoseLengthWasKnown(int elements) {
        for (ByteBuf out : new ByteBuf[] {Unpooled.buffer(0), ByteBufAllocator.DEFAULT.directBuffer(16)}) {
            ReplyWriter writer = new ReplyWriter(out, Protocol.RESP2);
            writer.simple("before");
            int mark = writer.beginArray();
            for (int i = 0; i < elements; i++) {
                writer.bulk(i);
            }
            writer.endArray(mark, elements);
            writer.simple("behind");

            assertThat(Wire.text(out)).isEqualTo(written(Protocol.RESP2, expected -> {
                expected.simple("before");
                expected.array(elements);
                for (int i = 0; i < elements; i++) {
                    expected.bulk(i);
                }
                expected.simple("behind");
            }));
            out.release();
        }
    }

    @Test
    void beginBulk_bytesWrittenByTheCaller_areTheString() {
        assertThat(written(Protocol.RESP3, out -> {
                    out.beginBulk(4);
                    out.out().writeInt('a' << 24 | 'b' << 16 | 'c' << 8 | 'd');
                    out.endBulk();
                }))
                .isEqualTo("$4\r\nabcd\r\n");
    }

    @Test
    void protocol_changedByHello_countsFromThenOn() {
        ByteBuf first = Unpooled.buffer();
        ByteBuf second = Unpooled.buffer();
        ReplyWriter writer = new ReplyWriter(first, Protocol.RESP2);
        writer.nothing();
        writer.protocol(Protocol.RESP3);
        writer.nothing();
        writer.out(second);
        writer.nothing();
        assertThat(Wire.text(first)).isEqualTo("$-1\r\n_\r\n");
        assertThat(Wire.text(second)).isEqualTo("_\r\n");
        assertThat(writer.protocol().number()).isEqualTo(3);
    }

    @Test
    void verbatim_formatThatHasNotThreeLetters_isRefused() {
        assertThatThrownBy(() -> written(Protocol.RESP3, out -> out.verbatim("text", TEXT)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
