package dev.granary.resp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoubleTextTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0.0, -0",
        "1, 1",
        "-1.5, -1.5",
        "3.141, 3.141",
        "0.1, 0.1",
        "0.000123, 0.000123",
        "1e-7, 1e-7",
        "1.25e-7, 1.25e-7",
        "1234567.125, 1234567.125",
        "1e7, 10000000",
        "1e21, 1e+21",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "NaN, nan",
        "-Infinity, -inf"
    })
    void of_number_isLaidOutAsByRedis(double value, String text) {
        assertThat(DoubleText.of(value)).isEqualTo(text);
    }

    @Test
    void of_randomNumbers_areReadBackAsTheSame() {
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < 20_000; i++) {
            double value = Double.longBitsToDouble(random.nextLong());
            if (Double.isFinite(value)) {
                assertThat(Double.parseDouble(DoubleText.of(value))).isEqualTo(value);
            }
        }
    }
}
