package dev.granary.net.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The seeds of {@link MessageFuzz}, and each of them with one byte changed or bytes missing at its end. */
class MessageFuzzTest {

    private static final byte[] CHANGES = {0x01, (byte) 0x80, (byte) 0xff};

    @Test
    void target_seedsAndTheirDamages_areReadOrRefused() {
        int read = 0;
        int refused = 0;
        for (byte[] seed : MessageFuzz.seeds()) {
            assertThat(seed).isNotEmpty();
            read += MessageFuzz.isRead(seed) ? 1 : 0;
            for (int at = 0; at < seed.length; at++) {
                byte[] damaged = seed.clone();
                damaged[at] ^= CHANGES[at % CHANGES.length];
                refused += MessageFuzz.isRead(damaged) ? 0 : 1;
                refused += MessageFuzz.isRead(Arrays.copyOf(seed, at)) ? 0 : 1;
            }
        }
        assertThat(read).as("seeds that are read").isPositive();
        assertThat(refused).as("damages that are refused").isPositive();
    }
}
