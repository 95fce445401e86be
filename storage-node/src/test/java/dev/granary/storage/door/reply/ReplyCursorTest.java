package dev.granary.storage.door.reply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyCursorTest {

    private static ByteBuf bytes(String text) {
        return Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "+OK\r\n",
                "-ERR 5 is wrong\r\n",
                ":-7\r\n",
                "$-1\r\n",
                "$0\r\n\r\n",
                "$5\r\na\r\n*2\r\n",
                "*-1\r\n",
                "*0\r\n",
                "*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
                "%2\r\n+a\r\n:1\r\n+b\r\n~1\r\n_\r\n",
                "|1\r\n+ttl\r\n:1\r\n*1\r\n#t\r\n",
                "=7\r\ntxt:abc\r\n",
                ",1.5\r\n",
                "(12345678901234567890\r\n",
                "(123456789012\r\n",
                ":123456789012\r\n",
                "#123456789012\r\n"
            })
    void end_eachKindOfReply_isBehindAllOfIt(String reply) {
        ByteBuf all = bytes("+before\r\n" + reply + "+behind\r\n");
        int start = "+before\r\n".length();
        assertThat(ReplyCursor.end(all, start)).isEqualTo(start + reply.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"+OK", "$5\r\nab\r\n", "*2\r\n:1\r\n", "*1\r\n"})
    void end_replyThatIsNotWhole_throws(String reply) {
        assertThatThrownBy(() -> ReplyCursor.end(bytes(reply), 0))
                .isInstanceOfAny(IllegalArgumentException.class, IndexOutOfBoundsException.class);
    }

    /** Twice the number of entries was a negative number of elements. */
    @ParameterizedTest
    @ValueSource(
            strings = {"%4611686018427387904\r\n:1\r\n", "|9223372036854775807\r\n:1\r\n:2\r\n", "*9999\r\n:1\r\n"})
    void end_moreElementsThanBytes_throws(String reply) {
        assertThatThrownBy(() -> ReplyCursor.end(bytes(reply), 0)).hasMessageContaining("no whole reply");
    }

    @Test
    void end_mapOfNegativeSize_isItsLine() {
        assertThat(ReplyCursor.end(bytes("*2\r\n%-1\r\n:1\r\n"), 0)).isEqualTo(13);
    }

    @Test
    void numbers_ofIntegersArraysAndStrings_areRead() {
        assertThat(ReplyCursor.number(bytes(":42\r\n"), 0)).isEqualTo(42);
        ByteBuf scan = bytes("*2\r\n$3\r\n128\r\n*0\r\n");
        assertThat(ReplyCursor.number(scan, 0)).isEqualTo(2);
        int first = ReplyCursor.body(scan, 0);
        assertThat(ReplyCursor.bulkNumber(scan, first)).isEqualTo(128);
        assertThat(ReplyCursor.number(scan, ReplyCursor.end(scan, first))).isZero();
        assertThatThrownBy(() -> ReplyCursor.number(bytes("+OK\r\n"), 0)).hasMessageContaining("no whole reply");
        assertThatThrownBy(() -> ReplyCursor.bulkNumber(bytes("$1\r\nx\r\n"), 0))
                .hasMessageContaining("no whole reply");
        assertThat(ReplyCursor.isError(bytes("-ERR\r\n"), 0)).isTrue();
        assertThat(ReplyCursor.isError(bytes("+-\r\n"), 0)).isFalse();
    }
}
