package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MapHashTest {

    @Test
    void of_anArrayAndASegment_areTheSame() {
        Random random = new Random(321);
        for (int length = 0; length < 80; length++) {
            byte[] key = new byte[length];
            random.nextBytes(key);
            long seed = random.nextLong();
            assertThat(MapHash.of(key, seed))
                    .as("%d bytes", length)
                    .isEqualTo(MapHash.of(MemorySegment.ofArray(key), 0, length, seed));
        }
    }
}
