package dev.granary.memory.page;

import static dev.granary.memory.paged.StressMemory.VMB;

import dev.granary.memory.lock.Latch;
import dev.granary.memory.paged.StressMemory;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The words of a page's directory entry and meta block, as gets read them beside moves and creates. */
public final class PageWordStress {

    private static final int AGAIN = -1;
    private static final int VALUE = 7;
    private static final int OTHERS = 13;

    private PageWordStress() {}

    private static void fill(long address, long value) {
        VMB.setLong(address, value);
        VMB.setLong(address + 8, value);
    }

    /** Reads a chunk of two words as a get does: form, payload, and validation. */
    private static void get(long page, II_Result result) {
        long since = Latch.read(VMB, page + Page.LATCH);
        long base = Page.base(VMB.getAcquire(page + Page.FORM));
        result.r2 = (int) VMB.getLong(base + 8);
        result.r1 = (int) VMB.getLong(base);
        VarHandle.loadLoadFence();
        if (!Latch.isUnchanged(VMB, page + Page.LATCH, since)) {
            result.r1 = AGAIN;
            result.r2 = AGAIN;
        }
    }

    /** A page whose payload moves while it is read, and whose old block is somebody else's at once. */
    @JCStressTest
    @Outcome(id = "7, 7", expect = Expect.ACCEPTABLE, desc = "The chunk, from its old or from its new place.")
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "It moved meanwhile: the get would look again.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A get returned bytes of a block that the page had left.")
    @State
    public static class PageMoves {

        private final long page = StressMemory.place();
        private final long from = page + 64;
        private final long to = page + 128;

        /** A page of one chunk. */
        public PageMoves() {
            fill(from, VALUE);
            VMB.setRelease(page + Page.FORM, Page.form(Page.TYPED, from, 16));
        }

        /** Moves the payload, and lets others have the old block. */
        @Actor
        public void move() {
            VMB.move(from, to, 16);
            Latch.lockExclusive(VMB, page + Page.LATCH);
            VMB.setRelease(page + Page.FORM, Page.form(Page.TYPED, to, 16));
            Latch.unlockExclusive(VMB, page + Page.LATCH);
            fill(from, OTHERS);
        }

        /** Gets the chunk. */
        @Actor
        public void get(II_Result result) {
            PageWordStress.get(page, result);
        }
    }

    /** A page that moves, is changed there, and moves back: the form is the old one again, the bytes are not. */
    @JCStressTest
    @Outcome(id = "7, 7", expect = Expect.ACCEPTABLE, desc = "The chunk before it was changed.")
    @Outcome(id = "13, 13", expect = Expect.ACCEPTABLE, desc = "The chunk after it was changed.")
    @Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "It moved meanwhile: the get would look again.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A get returned half of each.")
    @State
    public static class PageMovesThereAndBack {

        private final long page = StressMemory.place();
        private final long here = page + 64;
        private final long there = page + 128;

        /** A page of one chunk. */
        public PageMovesThereAndBack() {
            fill(here, VALUE);
            VMB.setRelease(page + Page.FORM, Page.form(Page.TYPED, here, 16));
        }

        /** Moves the payload there, changes it, and moves it back. */
        @Actor
        public void moveThereAndBack() {
            Latch.lockExclusive(VMB, page + Page.LATCH);
            fill(there, OTHERS);
            VMB.setRelease(page + Page.FORM, Page.form(Page.TYPED, there, 16));
            Latch.unlockExclusive(VMB, page + Page.LATCH);
            Latch.lockExclusive(VMB, page + Page.LATCH);
            VMB.move(there, here, 16);
            VMB.setRelease(page + Page.FORM, Page.form(Page.TYPED, here, 16));
            Latch.unlockExclusive(VMB, page + Page.LATCH);
        }

        /** Gets the chunk. */
        @Actor
        public void get(II_Result result) {
            PageWordStress.get(page, result);
        }
    }

    /** A chunk that is created beside a get of it: creates do not hold the latch, the live bit comes last. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Not there yet.")
    @Outcome(id = "7, 7", expect = Expect.ACCEPTABLE, desc = "There, with all its bytes.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The live bit was seen before the chunk's bytes.")
    @State
    public static class LiveBitPublishesTheChunk {

        private static final int SLOT = 130;

        private final long meta = StressMemory.place();
        private final long payload = meta + 128;

        /** An empty page. */
        public LiveBitPublishesTheChunk() {}

        /** Creates the chunk. */
        @Actor
        public void create() {
            fill(payload, VALUE);
            Meta.set(VMB, meta, SLOT);
        }

        /** Gets the chunk. */
        @Actor
        public void get(II_Result result) {
            if (Meta.isSet(VMB, meta, SLOT)) {
                result.r2 = (int) VMB.getLong(payload + 8);
                result.r1 = (int) VMB.getLong(payload);
            }
        }
    }
}
