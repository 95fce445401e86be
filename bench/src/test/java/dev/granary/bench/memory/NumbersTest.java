package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumbersTest {

    @Test
    void count_plainUnderscoresAndUnits_understood() {
        assertThat(Numbers.count("n", "10000000")).isEqualTo(10_000_000);
        assertThat(Numbers.count("n", "10_000_000")).isEqualTo(10_000_000);
        assertThat(Numbers.count("n", "10M")).isEqualTo(10_000_000);
        assertThat(Numbers.count("n", "1g")).isEqualTo(1_000_000_000);
        assertThat(Numbers.count("n", " 5k ")).isEqualTo(5_000);
    }

    @Test
    void bytes_binaryUnits_understood() {
        assertThat(Numbers.bytes("n", "1024")).isEqualTo(1024);
        assertThat(Numbers.bytes("n", "64MiB")).isEqualTo(64L << 20);
        assertThat(Numbers.bytes("n", "16G")).isEqualTo(16L << 30);
        assertThat(Numbers.bytes("n", "3kb")).isEqualTo(3 << 10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "M", "x", "-1", "1.5M", "1__0", "_1", "10MM", "99999999999999999999", "9999999999999G"})
    void count_noNumber_refusedByName(String text) {
        assertThatThrownBy(() -> Numbers.count("--chunks", text))
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("--chunks")
                .hasMessageContaining("'" + text + "'");
    }

    @Test
    void count_zero_refused() {
        assertThatThrownBy(() -> Numbers.count("--threads", "0")).hasMessageContaining("at least 1");
    }

    @Test
    void list_betweenCommas_inTheirOrder() {
        assertThat(Numbers.list("--threads", "1,2, 128")).containsExactly(1, 2, 128);
        assertThatThrownBy(() -> Numbers.list("--threads", "1,,2")).isInstanceOf(BadOptionException.class);
    }
}
