package dev.granary.storage.replicate;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** Whoever reads a new value while its batch is not settled finds a mark for it, whatever others do to that slot. */
class ChangeMarksLincheckTest {

    @Test
    void reads_besideChangesOfTheSameSlot_findTheMarksOfWhatTheySee() {
        new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(50 * Integer.getInteger("granary.threads.factor", 1))
                .threads(3)
                .actorsPerThread(2)
                .actorsBefore(1)
                .actorsAfter(1)
                .check(Zone.class);
    }

    /** Two chunks of one slot; their values are the sequences of the batches that changed them. */
    public static class Zone {

        private static final long FIRST = 1;
        private static final long SECOND = neighbourOf(FIRST);

        private final ChangeMarks marks = new ChangeMarks();
        private volatile long first;
        private volatile long second;
        private volatile long settled;
        private long last;

        /** Returns another chunk whose unsettled changes hold up reads of this chunk, too. */
        private static long neighbourOf(long cid) {
            for (long other = cid + 1; ; other++) {
                ChangeMarks marks = new ChangeMarks();
                marks.mark(cid, 1, 0);
                marks.mark(other, 2, 0);
                if (marks.of(cid) == 2) {
                    return other;
                }
            }
        }

        @Operation
        public synchronized void changeFirst() {
            marks.mark(FIRST, ++last, settled);
            ChangeMarks.publish();
            first = last;
        }

        @Operation
        public synchronized void changeSecond() {
            marks.mark(SECOND, ++last, settled);
            ChangeMarks.publish();
            second = last;
        }

        @Operation
        public synchronized void settle() {
            settled = last;
        }

        @Operation
        public void readFirst() {
            long seen = first;
            ChangeMarks.observe();
            requireMark(seen, marks.of(FIRST));
        }

        @Operation
        public void readSecond() {
            long seen = second;
            ChangeMarks.observe();
            requireMark(seen, marks.of(SECOND));
        }

        private void requireMark(long seen, long mark) {
            if (mark < seen && settled < seen) {
                throw new IllegalStateException("batch " + seen + " was seen and is not settled, the mark is " + mark);
            }
        }
    }
}
