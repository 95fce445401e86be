package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecimalTest {

    private static final long NONE = 4711;

    private static long parse(String text) {
        ByteBuf bytes = Unpooled.copiedBuffer(Wire.bytes("7" + text + "7"));
        return Decimal.parse(bytes, 1, 1 + text.length(), NONE);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 9, 10, -10, 1234567890123L, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - 1})
    void parse_number_isRead(long value) {
        assertThat(parse(String.valueOf(value))).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-",
                "+1",
                "01",
                "-0",
                "00",
                " 1",
                "1 ",
                "1a",
                "a",
                "9223372036854775808",
                "-9223372036854775809",
                "99999999999999999999",
                "-99999999999999999999",
                "18446744073709551617",
                "1.0"
            })
    void parse_whatIsNone_isNotRead(String text) {
        assertThat(parse(text)).isEqualTo(NONE);
    }
}
