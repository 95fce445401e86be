package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class InlineRequestTest {

    static Stream<Arguments> lines() {
        return Stream.of(
                line(""),
                line(" \t "),
                line("ping", "ping"),
                line("  set k   v ", "set", "k", "v"),
                line("a\tb\u000bc \u000b\fd", "a", "b\u000bc", "d"),
                line("\"\" ''", "", ""),
                line("\"a b\" 'c d'", "a b", "c d"),
                line("x\"a b\" y'c d'", "xa b", "yc d"),
                line("\"\\n\\r\\t\\b\\a\\\\\\\"\\q\"", "\n\r\t\b\u0007\\\"q"),
                line("\"\\x41\\xfF\\x4\\xg1\"", "A\u00ffx4xg1"),
                line("'a\\'b\\n\"'", "a'b\\n\""),
                line("\\n \\x41", "\\n", "\\x41"),
                line("\"a\"\u000b'b'", "a", "b"));
    }

    private static Arguments line(String line, String... arguments) {
        return Arguments.of(line, arguments);
    }

    @ParameterizedTest
    @MethodSource("lines")
    void split_line_givesItsArguments(String line, String[] arguments) {
        ByteBuf buffer = Unpooled.copiedBuffer(Wire.bytes("before" + line));
        Request request = new Request();
        assertThat(InlineRequest.split(buffer, 6, buffer.writerIndex(), request))
                .isTrue();
        request.complete(buffer, 6, line.length());
        assertThat(Wire.arguments(request)).containsExactly(arguments);
        assertThat(Wire.text(buffer)).startsWith("before");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\"", "'", "a \"b", "a 'b", "\"a\"b", "'a'b", "\"a\\", "\"a\\\"", "'a\\'", "\"a\"\"b\"", "x'"})
    void split_quoteWithoutAMatch_isRefused(String line) {
        ByteBuf buffer = Unpooled.copiedBuffer(Wire.bytes(line));
        assertThat(InlineRequest.split(buffer, 0, buffer.writerIndex(), new Request()))
                .isFalse();
    }
}
