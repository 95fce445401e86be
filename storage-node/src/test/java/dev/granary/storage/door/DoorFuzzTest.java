package dev.granary.storage.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The seeds of {@link DoorFuzz}, and each of them with one byte changed or bytes missing at its end. */
class DoorFuzzTest {

    private static final byte[] CHANGES = {0x01, (byte) 0x80, (byte) 0xff};

    /** Not each byte: a try makes a door. */
    private static final int STEP = 7;

    @Test
    void target_seedsAndTheirDamages_areReadOrRefused() {
        int read = 0;
        int refused = 0;
        for (byte[] seed : DoorFuzz.seeds()) {
            assertThat(seed).isNotEmpty();
            read += DoorFuzz.isRead(seed) ? 1 : 0;
            for (int at = 0; at < seed.length; at += STEP) {
                byte[] damaged = seed.clone();
                damaged[at] ^= CHANGES[at / STEP % CHANGES.length];
                refused += DoorFuzz.isRead(damaged) ? 0 : 1;
                refused += DoorFuzz.isRead(Arrays.copyOf(seed, at)) ? 0 : 1;
            }
        }
        assertThat(read).as("seeds that are read").isPositive();
        assertThat(refused).as("damages that are refused").isPositive();
    }
}
