package dev.granary.storage.replicate;

import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * The marks of a zone's changes beside chunks that are written and read without any order of their own: whoever sees a
 * new value sees its mark, whatever compilers and processors reorder.
 */
public final class ChangeMarksStress {

    /** More slots than there are states at a time. */
    private static final int ZONES = 256;

    private static final ChangeMarks[] MARKS = new ChangeMarks[ZONES];

    /** Two chunks of each slot, of different tags. */
    private static final long[] CHUNKS = new long[ChangeMarks.SLOTS];

    private static final long[] NEIGHBOURS = new long[ChangeMarks.SLOTS];

    private static final AtomicLong STATES = new AtomicLong();

    static {
        for (int i = 0; i < ZONES; i++) {
            MARKS[i] = new ChangeMarks();
        }
        int missing = 2 * ChangeMarks.SLOTS;
        for (long cid = 1; missing > 0; cid++) {
            long hash = ChangeMarks.hash(cid);
            int slot = ChangeMarks.slot(hash);
            if (CHUNKS[slot] == 0) {
                CHUNKS[slot] = cid;
                missing--;
            } else if (NEIGHBOURS[slot] == 0
                    && ChangeMarks.tag(hash) != ChangeMarks.tag(ChangeMarks.hash(CHUNKS[slot]))) {
                NEIGHBOURS[slot] = cid;
                missing--;
            }
        }
    }

    private ChangeMarksStress() {}

    /**
     * A chunk in a slot of its own, in which everything before is settled:
     * a zone is too large for each state to have one.
     */
    public abstract static class Chunk {

        private final ChangeMarks marks;
        private final long cid;
        private final long neighbour;

        /** The last batch that is settled. */
        private final long settled;

        private long value;

        Chunk() {
            long number = STATES.getAndIncrement();
            int slot = (int) (number % ChangeMarks.SLOTS);
            marks = MARKS[(int) (number / ChangeMarks.SLOTS % ZONES)];
            cid = CHUNKS[slot];
            neighbour = NEIGHBOURS[slot];
            settled = 2 * (number / ChangeMarks.SLOTS / ZONES);
        }

        final void changeChunk() {
            marks.mark(cid, settled + 1, settled);
            ChangeMarks.publish();
            value = 7;
        }

        final void changeNeighbour() {
            marks.mark(neighbour, settled + 2, settled);
        }

        /** Stores what is seen, and which of the two batches the mark names. */
        final void readChunk(JJ_Result result) {
            result.r1 = value;
            ChangeMarks.observe();
            result.r2 = Math.max(0, marks.of(cid) - settled);
        }
    }

    /** One change, one read. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "The old value.")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The old value, and that it is being changed.")
    @Outcome(id = "7, 1", expect = Expect.ACCEPTABLE, desc = "The new value with its mark.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The new value is shown before backups have it.")
    @State
    public static class OneChange extends Chunk {

        /** Changes the chunk. */
        @Actor
        public void change() {
            changeChunk();
        }

        /** Reads the chunk. */
        @Actor
        public void read(JJ_Result result) {
            readChunk(result);
        }
    }

    /** Two changes whose chunks share a slot: the mark of the first one becomes one for all of them. */
    @JCStressTest
    @Outcome(id = "0, [012]", expect = Expect.ACCEPTABLE, desc = "The old value.")
    @Outcome(id = "7, [12]", expect = Expect.ACCEPTABLE, desc = "The new value with its mark, or a later one.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The new value is shown before backups have it.")
    @State
    public static class TwoChangesOfASlot extends Chunk {

        /** Changes both chunks, in two batches. */
        @Actor
        public void change() {
            changeChunk();
            changeNeighbour();
        }

        /** Reads the first one. */
        @Actor
        public void read(JJ_Result result) {
            readChunk(result);
        }
    }
}
