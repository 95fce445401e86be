package dev.granary.memory.paged;

import static dev.granary.memory.paged.StressMemory.SPACE;
import static dev.granary.memory.paged.StressMemory.VMB;

import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.page.BatchReader;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Reader;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The readers of chunk memory, as they are, beside moves. Pages are laid out by hand, because whole memories take too
 * long to make. What a move leaves is filled with others' bytes as soon as it is freed, before the latch is released.
 */
public final class RelocationStress {

    /**
     * What others write to a block that was freed. Read as an entry, it has a split size and an address that does not
     * exist.
     */
    private static final long GARBAGE = -1L >>> 1;

    private static final Reader READER = new Reader(SPACE);

    private RelocationStress() {}

    private static void fill(long from, int sizeBytes, long word) {
        for (int i = 0; i < sizeBytes; i += 8) {
            VMB.setLong(from + i, word);
        }
    }

    /** A page of entries whose table moves, and whose old one is somebody else's at once. */
    @JCStressTest
    @Outcome(id = "100", expect = Expect.ACCEPTABLE, desc = "The size, by the old table or by the new one.")
    @Outcome(
            expect = Expect.FORBIDDEN,
            desc = "Another size, or an exception: a word of somebody else counted as an entry.")
    @State
    public static class SizeBesideAMovingTable {

        private final long page = StressMemory.page(StressMemory.pageNumber());
        private final long from = StressMemory.place();
        private final long to = StressMemory.place();

        /** One chunk of 100 bytes. */
        public SizeBesideAMovingTable() {
            VMB.setRelease(from + 8, EntryLayout.entry(from + 64, 100));
            VMB.setRelease(page, Page.form(Page.ENTRIES, from, 0));
        }

        /** Moves the table. */
        @Actor
        public void move() {
            Latch.lockExclusive(VMB, page + Page.LATCH);
            VMB.move(from, to, 64);
            VMB.setRelease(page, Page.form(Page.ENTRIES, to, 0));
            fill(from, 64, GARBAGE);
            Latch.unlockExclusive(VMB, page + Page.LATCH);
        }

        /** Asks for the size. */
        @Actor
        public void sizeOf(I_Result result) {
            try {
                result.r1 = READER.sizeOf(page, 1);
            } catch (IndexOutOfBoundsException e) {
                result.r1 = Integer.MIN_VALUE;
            }
        }
    }

    /** The same for a chunk whose size lies in its block in part: the chunk stays where it is. */
    @JCStressTest
    @Outcome(id = "2100", expect = Expect.ACCEPTABLE, desc = "The size, by the old table or by the new one.")
    @Outcome(
            expect = Expect.FORBIDDEN,
            desc = "Another size, or an exception: a word of somebody else counted as an entry.")
    @State
    public static class SplitSizeBesideAMovingTable {

        private final long page = StressMemory.page(StressMemory.pageNumber());
        private final long from = StressMemory.place();
        private final long to = StressMemory.place();

        /** One chunk of 2,100 bytes; of its block only the length is there. */
        public SplitSizeBesideAMovingTable() {
            long block = to + 128;
            VMB.setByte(block - 1, Marker.of(Marker.EDGE, Marker.chunk(2100)));
            Chunks.writeLength(VMB, block, 2100);
            VMB.setRelease(from + 8, EntryLayout.entry(block, 2100));
            VMB.setRelease(page, Page.form(Page.ENTRIES, from, 0));
        }

        /** Moves the table. */
        @Actor
        public void move() {
            Latch.lockExclusive(VMB, page + Page.LATCH);
            VMB.move(from, to, 64);
            VMB.setRelease(page, Page.form(Page.ENTRIES, to, 0));
            fill(from, 64, GARBAGE);
            Latch.unlockExclusive(VMB, page + Page.LATCH);
        }

        /** Asks for the size. */
        @Actor
        public void sizeOf(I_Result result) {
            try {
                result.r1 = READER.sizeOf(page, 1);
            } catch (IndexOutOfBoundsException e) {
                result.r1 = Integer.MIN_VALUE;
            }
        }
    }

    /** A batch get of two chunks of one page beside a move of its slots. */
    @JCStressTest
    @Outcome(id = "7, 8", expect = Expect.ACCEPTABLE, desc = "Both chunks, from their old or from their new place.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A batch returned bytes of a block that the page had left.")
    @State
    public static class BatchGetBesideMovingSlots extends Batch {

        private final long from = StressMemory.place();
        private final long to = StressMemory.place();

        /** Two chunks of 8 bytes in a page that is full. */
        public BatchGetBesideMovingSlots() {
            VMB.setLong(from + 8, 7);
            VMB.setLong(from + 16, 8);
            VMB.setRelease(page, Page.form(Page.TYPED, from, 8) | Page.ALL_LIVE);
        }

        /** Moves the slots. */
        @Actor
        public void move() {
            Latch.lockExclusive(VMB, page + Page.LATCH);
            VMB.move(from, to, 64);
            VMB.setRelease(page, Page.form(Page.TYPED, to, 8) | Page.ALL_LIVE);
            fill(from, 64, GARBAGE);
            Latch.unlockExclusive(VMB, page + Page.LATCH);
        }

        /** Gets both. */
        @Actor
        public void get(II_Result result) {
            getBoth(result);
        }
    }

    /** A batch get beside a page that is packed: its form becomes another kind, whose words lie elsewhere. */
    @JCStressTest
    @Outcome(id = "7, 8", expect = Expect.ACCEPTABLE, desc = "Both chunks, as slots or in the group.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A mixture, bytes of others, or an exception.")
    @State
    public static class BatchGetBesidePacking extends Batch {

        private final long from = StressMemory.place();
        private final long meta = StressMemory.place();
        private final long group = StressMemory.place();

        /** Two chunks of 8 bytes, and a group that is ready for them. */
        public BatchGetBesidePacking() {
            VMB.setLong(from + 8, 7);
            VMB.setLong(from + 16, 8);
            Meta.set(VMB, meta, 1);
            Meta.set(VMB, meta, 2);
            VMB.setRelease(page + Page.STATE, Page.state(meta, 0));
            VMB.setRelease(page, Page.form(Page.TYPED, from, 8));
        }

        /** Packs the page. */
        @Actor
        public void pack() {
            Latch.lockExclusive(VMB, page + Page.LATCH);
            long word = Group.word(group, false, 0);
            SPACE.groups.clear(word, 16);
            SPACE.groups.fill(word, 6, 0, from, 8);
            VMB.setRelease(meta + Meta.GROUPS, word);
            VMB.setRelease(page, Page.form(Page.PACKED, meta, 0));
            fill(from, 64, GARBAGE);
            Latch.unlockExclusive(VMB, page + Page.LATCH);
        }

        /** Gets both. */
        @Actor
        public void get(II_Result result) {
            getBoth(result);
        }
    }

    /**
     * A batch get of a packed page whose meta block moves: its old one, with the words of groups,
     * is somebody else's at once.
     */
    @JCStressTest
    @Outcome(id = "7, 8", expect = Expect.ACCEPTABLE, desc = "Both chunks, by the old or by the new meta block.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A word of somebody else counted as one of a group.")
    @State
    public static class BatchGetBesideAMovingMetaBlock extends Batch {

        private final long meta = StressMemory.place();
        private final long to = StressMemory.place();

        /** Two chunks of 8 bytes in a group. */
        public BatchGetBesideAMovingMetaBlock() {
            long slots = StressMemory.place();
            VMB.setLong(slots + 8, 7);
            VMB.setLong(slots + 16, 8);
            Meta.set(VMB, meta, 1);
            Meta.set(VMB, meta, 2);
            long word = Group.word(StressMemory.place(), false, 0);
            SPACE.groups.clear(word, 16);
            SPACE.groups.fill(word, 6, 0, slots, 8);
            VMB.setRelease(meta + Meta.GROUPS, word);
            VMB.setRelease(page + Page.STATE, Page.state(meta, 0));
            VMB.setRelease(page, Page.form(Page.PACKED, meta, 0));
        }

        /** Moves the meta block. */
        @Actor
        public void move() {
            Latch.lockExclusive(VMB, page + Page.LATCH);
            VMB.move(meta, to, Meta.PACKED_BYTES);
            VMB.setRelease(page + Page.STATE, Page.state(to, 0));
            VMB.setRelease(page, Page.form(Page.PACKED, to, 0));
            fill(meta, Meta.PACKED_BYTES, GARBAGE);
            Latch.unlockExclusive(VMB, page + Page.LATCH);
        }

        /** Gets both. */
        @Actor
        public void get(II_Result result) {
            getBoth(result);
        }
    }

    /** A page in the table of the memory, and a batch get of its first two chunks. */
    public abstract static class Batch {

        final long number = StressMemory.pageNumber();
        final long page = StressMemory.page(number);

        Batch() {}

        final void getBoth(II_Result result) {
            long cid = (long) StressMemory.NID << 48 | number << Page.SLOT_BITS;
            long[] words = new long[2];
            int[] sizes = new int[2];
            try {
                int end = new BatchReader(SPACE, READER)
                        .get(new long[] {cid + 1, cid + 2}, 0, 2, MemorySegment.ofArray(words), 0, 16, sizes);
                result.r1 = end == 2 && sizes[0] == 8 ? (int) words[0] : -sizes[0];
                result.r2 = end == 2 && sizes[1] == 8 ? (int) words[1] : -sizes[1];
            } catch (IndexOutOfBoundsException e) {
                result.r1 = Integer.MIN_VALUE;
            }
        }
    }
}
