package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.LocalKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LongDoubleReadTest {

    private static LongDouble number(String text) {
        return LongDouble.parse(LocalKeys.bytes(text));
    }

    /** What a redis-server 7.0.15 on x86 answers for the sums. */
    @ParameterizedTest
    @CsvSource({
        "0.1, 0.2, 0.3",
        "3.0e3, 200, 3200",
        "1, 0.00000000000000001, 1.00000000000000001",
        "1, 0.000000000000000004, 1",
        "0x1.8p1, .5, 3.5",
        "+5., -5, 0",
        "-0, -0, 0",
        "18446744073709551615, 1, 18446744073709551616",
        "18446744073709551616, 1, 18446744073709551616",
        "1e-4950, 0, 0",
    })
    void plus_twoNumbers_isTheSumThatRedisWrites(String one, String other, String sum) {
        assertThat(number(one).plus(number(other)).toString()).isEqualTo(sum);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " 1",
                "1 ",
                "1x",
                "nan",
                "1e",
                "0x",
                "0x1p",
                ".",
                "-",
                "1e4933",
                "1e-4960",
                "1e999999999999",
                "0x1p16384",
                "0x1p-16500",
                "1.2.3",
                "--1",
                "1\0",
                "inf1"
            })
    void read_whatIsNoNumberOrOutOfRange_isNothing(String text) {
        assertThat(LongDouble.read(LocalKeys.bytes(text))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"inf", "-inf", "+Infinity", "INF"})
    void read_infinity_isInfinite(String text) {
        assertThat(number(text).isFinite()).isFalse();
    }

    @Test
    void plus_overTheLargest_isInfinite() {
        LongDouble large = number("1.1e4932");

        assertThat(large.isFinite()).isTrue();
        assertThat(large.plus(large).isFinite()).isFalse();
        assertThat(number("0e-99999999999999999999").plus(LongDouble.ZERO).toString())
                .isEqualTo("0");
    }
}
