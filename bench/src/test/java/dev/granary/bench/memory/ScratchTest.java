package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScratchTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 32, 61})
    void holds_ownPayload_onlyThat(int sizeBytes) {
        Scratch scratch = new Scratch(64);
        scratch.fill(12, 0, sizeBytes);
        assertThat(scratch.holds(12, 0, sizeBytes)).isTrue();
        assertThat(scratch.holds(12, 1, sizeBytes)).isFalse();
        assertThat(scratch.holds(13, 0, sizeBytes)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 32, 61})
    void holds_anyByteChanged_seen(int sizeBytes) {
        Scratch scratch = new Scratch(64);
        for (int i = 0; i < sizeBytes; i++) {
            scratch.fill(12, 0, sizeBytes);
            scratch.bytes()[i] ^= 1;
            assertThat(scratch.holds(12, 0, sizeBytes))
                    .as("byte %d of %d", i, sizeBytes)
                    .isFalse();
        }
    }
}
