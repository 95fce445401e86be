package dev.granary.storage.replicate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChangeMarksTest {

    private final ChangeMarks marks = new ChangeMarks();

    @Test
    void of_chunkThatWasMarked_itsBatch() {
        marks.mark(7, 3, 0);
        assertThat(marks.of(7)).isEqualTo(3);
        marks.mark(7, 5, 0);
        assertThat(marks.of(7)).isEqualTo(5);
    }

    @Test
    void of_otherChunksOfItsSlot_none() {
        marks.mark(1, 1, 0);
        long held = 0;
        for (long cid = 2; cid < 20L * ChangeMarks.SLOTS; cid++) {
            held += marks.of(cid) == 0 ? 0 : 1;
        }
        assertThat(held).isZero();
    }

    @Test
    void of_chunkWhoseSlotASettledBatchHad_onlyTheNewOne() {
        long[] pair = pairOfOneSlot();
        marks.mark(pair[0], 1, 0);
        marks.mark(pair[1], 2, 1);
        assertThat(marks.of(pair[0])).isZero();
        assertThat(marks.of(pair[1])).isEqualTo(2);
    }

    @Test
    void of_twoUnsettledChunksOfASlot_bothAreAtLeastAsNewAsTheyWere() {
        long[] pair = pairOfOneSlot();
        marks.mark(pair[0], 1, 0);
        marks.mark(pair[1], 2, 0);
        assertThat(marks.of(pair[0])).isEqualTo(2);
        assertThat(marks.of(pair[1])).isEqualTo(2);
    }

    /** Checks invariant 1 against a map, and counts how many unchanged chunks are held up. */
    @Test
    void mark_anyOrder_noUnsettledChangeIsForgotten() {
        Random random = new Random(20_261_123);
        Map<Long, Long> newest = new HashMap<>();
        long settled = 0;
        int needless = 0;
        for (long sequence = 1; sequence <= 20_000; sequence++) {
            long cid = random.nextLong(100_000);
            marks.mark(cid, sequence, settled);
            newest.put(cid, sequence);
            // Some hundred batches are in flight at any time.
            settled = Math.max(settled, sequence - random.nextInt(100, 200));
            long looked = random.nextLong(100_000);
            long batch = newest.getOrDefault(looked, 0L);
            if (batch > settled) {
                assertThat(marks.of(looked)).isGreaterThanOrEqualTo(batch);
            } else {
                needless += marks.of(looked) > settled ? 1 : 0;
            }
        }
        assertThat(needless).isLessThan(100);
    }

    /**
     * Returns two chunks of one slot with different tags: when both have unsettled batches, the marks stand for both.
     */
    private static long[] pairOfOneSlot() {
        for (long cid = 2; ; cid++) {
            ChangeMarks probe = new ChangeMarks();
            probe.mark(1, 1, 0);
            probe.mark(cid, 2, 0);
            if (probe.of(1) == 2) {
                return new long[] {1, cid};
            }
        }
    }
}
