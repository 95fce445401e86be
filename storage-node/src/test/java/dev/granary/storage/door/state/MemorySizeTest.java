package dev.granary.storage.door.state;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemorySizeTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "123, 123",
        "5b, 5",
        "2k, 2000",
        "2kb, 2048",
        "3M, 3000000",
        "3mb, 3145728",
        "1g, 1000000000",
        "2GB, 2147483648"
    })
    void parse_size_isItsBytes(String text, long bytes) {
        assertThat(MemorySize.parse(text)).hasValue(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "x", "1tb", "1 mb", "99999999999999999999", "999999999999gb"})
    void parse_other_isNothing(String text) {
        assertThat(MemorySize.parse(text)).isEmpty();
    }
}
