package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.keyed.LocalKeys;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExtendedFloatTest {

    private static @Nullable ExtendedFloat parse(String text) {
        return ExtendedFloat.parse(LocalKeys.bytes(text));
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
        assertThat(parse(one).plus(parse(other)).text()).isEqualTo(sum);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " 1", "1 ", "1x", "nan", "1e", "0x", "0x1p", ".", "-", "1e4933", "1e-4960", "1e999999999999",
                "0x1p16384", "0x1p-16500", "1.2.3", "--1", "1\0", "inf1"
            })
    void parse_whatIsNoNumberOrOutOfRange_isNothing(String text) {
        assertThat(parse(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"inf", "-inf", "+Infinity", "INF"})
    void parse_infinity_isInfinite(String text) {
        assertThat(parse(text).isInfinite()).isTrue();
    }

    @Test
    void plus_overTheLargest_isInfinite() {
        ExtendedFloat large = parse("1.1e4932");

        assertThat(large.isInfinite()).isFalse();
        assertThat(large.plus(large).isInfinite()).isTrue();
        assertThat(parse("0e-99999999999999999999").plus(ExtendedFloat.ZERO).text())
                .isEqualTo("0");
    }
}
