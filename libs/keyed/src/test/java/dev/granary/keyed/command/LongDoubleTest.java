package dev.granary.keyed.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LongDoubleTest {

    private static LongDouble number(String text) {
        return LongDouble.parse(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void plus_halfOfTheLastBit_roundsToTheEvenOne() {
        // 2^64 has its last bit at 2.
        assertThat(number("18446744073709551616").plus(number("1"))).hasToString("18446744073709551616");
        assertThat(number("18446744073709551618").plus(number("1"))).hasToString("18446744073709551620");
        assertThat(number("-18446744073709551618").plus(number("-1"))).hasToString("-18446744073709551620");
        assertThat(number("18446744073709551615").plus(number("1"))).hasToString("18446744073709551616");
    }

    @Test
    void plus_numbersOf63Bits_isExact() {
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            // Quarters: the sum has at most 64 bits.
            BigDecimal a = BigDecimal.valueOf(random.nextLong() >> 2).divide(BigDecimal.valueOf(4));
            BigDecimal b = BigDecimal.valueOf(random.nextLong() >> 2).divide(BigDecimal.valueOf(4));
            String sum =
                    a.add(b).signum() == 0 ? "0" : a.add(b).stripTrailingZeros().toPlainString();
            assertThat(number(a.toPlainString()).plus(number(b.toPlainString())))
                    .hasToString(sum);
        }
    }

    @Test
    void parse_anyDouble_isKeptExactly() {
        Random random = new Random(2);
        for (int i = 0; i < 500; i++) {
            double value = Math.scalb(random.nextDouble() - 0.5, random.nextInt(100));
            String exact = new BigDecimal(value).toPlainString();
            BigDecimal shown = new BigDecimal(number(exact).toString());
            assertThat(shown.subtract(new BigDecimal(value)).abs()).isLessThanOrEqualTo(new BigDecimal("5e-18"));
        }
    }

    @Test
    void plus_beyondTheLargestNumber_isNotFinite() {
        assertThat(number("1.1e4932").plus(number("1.1e4932")).isFinite()).isFalse();
        assertThat(number("inf").plus(number("1")).isFinite()).isFalse();
        assertThat(number("1.1e4932").plus(number("-1.1e4932"))).hasToString("0");
    }
}
