package dev.granary.overlay.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnerEpochsTest {

    private static final int OWNER_BITS = 16;

    @ParameterizedTest
    @CsvSource({"1,0,0", "2,4,5", "3,16,32", "4,1,32", "5,16,0", "6,9,20"})
    void set_rowsInAnyOrder_readBack(long seed, int ownerBits, int epochBits) {
        SplittableRandom random = new SplittableRandom(seed);
        OwnerEpochs table = new OwnerEpochs();
        Map<Integer, Long> model = new HashMap<>();
        for (int step = 0; step < 30_000; step++) {
            // Values widen with time, so that segments are repacked while they hold rows.
            int shift = 12 - step / 2_500;
            int owner = (int) (random.nextLong(1L << ownerBits) >>> Math.min(shift, ownerBits));
            long epoch = random.nextLong(1L << epochBits) >>> Math.min(2 * shift, epochBits);
            int row = random.nextInt(1 + Math.min(step, 9_000));
            table.set(row, owner, epoch);
            model.put(row, (epoch << OWNER_BITS) | owner);
            int probe = random.nextInt(9_001);
            Long expected = model.get(probe);
            if (expected != null) {
                assertThat(table.get(probe))
                        .as("seed %d step %d row %d", seed, step, probe)
                        .isEqualTo(expected);
            }
        }
        model.forEach((row, value) ->
                assertThat(table.get(row)).as("seed %d row %d", seed, row).isEqualTo(value));
    }

    @Test
    void footprint_fewOwnersAndEpochs_takesTheBitsThatDiffer() {
        OwnerEpochs table = new OwnerEpochs();
        int count = 100_000;
        for (int row = 0; row < count; row++) {
            table.set(row, 0x4000 | (row % 10), 0x8000_0000L + row % 31);
        }
        // 4 bits and 5.
        assertThat((double) table.footprintBytes() / count).isLessThan(1.2);
        table.clear();
        assertThat(table.footprintBytes()).isLessThan(50);
    }

    @Test
    void footprint_fewRows_takesRoomForFewRows() {
        OwnerEpochs table = new OwnerEpochs();
        for (int row = 0; row < 300; row++) {
            table.set(row, 5, 1);
        }
        for (int row = 0; row < 300; row++) {
            table.set(row, 5, 1 + row % 200);
        }
        assertThat(table.footprintBytes()).isLessThan(384 + 100);
        assertThat(table.get(299)).isEqualTo((100L << OWNER_BITS) | 5);
    }
}
