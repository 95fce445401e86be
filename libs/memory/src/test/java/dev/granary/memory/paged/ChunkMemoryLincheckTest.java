package dev.granary.memory.paged;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.SizeMismatchException;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.TypedFiller;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The operations on one chunk, and on two neighbours in one page, are linearizable, in pages of each kind. Stress mode:
 * Lincheck's model checker does not see accesses to memory segments, so it would find nothing; the interleavings are
 * those that happen. What the latch promises is stressed far longer by jcstress, in the module next to this one.
 */
class ChunkMemoryLincheckTest {

    /** Of chunks that can be in typed pages. */
    private static final int SIZE = 8;

    /** Of chunks that never are: a slot has room for a forward. */
    private static final int PACKED_SIZE = 5;

    private static final int LARGE = 80;

    private static final ChunkMemory CLASSIC = open(MemoryLayout.CLASSIC);
    private static final ChunkMemory TYPED = open(MemoryLayout.TYPED);
    private static final ChunkMemory PACKED = open(MemoryLayout.TYPED);

    @BeforeAll
    static void makeTypedPages() {
        int count = TypedFiller.liveNeeded(SIZE);
        int[] sizes = new int[count];
        Arrays.fill(sizes, SIZE);
        TYPED.create(count, sizes, null, 0, new long[count]);
    }

    @AfterAll
    static void close() {
        for (ChunkMemory memory : new ChunkMemory[] {CLASSIC, TYPED, PACKED}) {
            MemoryTests.assertSound(memory);
            memory.close();
        }
    }

    @Test
    void operations_onNeighboursInAPageOfEntries_areLinearizable() {
        check(InEntries.class);
    }

    @Test
    void operations_onNeighboursInATypedPage_areLinearizable() {
        check(InTyped.class);
    }

    @Test
    void operations_onNeighboursInAPackedPage_areLinearizable() {
        check(InPacked.class);
    }

    private static void check(Class<?> operations) {
        new StressOptions()
                .iterations(4)
                .invocationsPerIteration(MemoryTests.steps(60))
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .check(operations);
    }

    /** One stripe, so that consecutive creates are neighbours. */
    private static ChunkMemory open(MemoryLayout layout) {
        ChunkMemory memory = PagedChunkMemory.open(MemoryTests.config(layout, 256 << 20), 1);
        memory.reserveLids(ChunkMemory.MAX_LID + 1);
        return memory;
    }

    /** Lincheck makes an instance for each execution, and with it two chunks. */
    @Param(name = "value", gen = IntGen.class, conf = "1:4")
    @Param(name = "which", gen = IntGen.class, conf = "0:1")
    public abstract static class Operations {

        private final ChunkMemory memory;
        private final int size;
        private final long[] cids = new long[2];

        Operations(ChunkMemory memory, int size) {
            this.memory = memory;
            this.size = size;
            do {
                memory.create(2, new int[] {size, size}, null, 0, cids);
            } while (cids[0] >>> Page.SLOT_BITS != cids[1] >>> Page.SLOT_BITS);
        }

        @Operation
        public String get(@Param(name = "which") int which) {
            byte[] room = new byte[LARGE];
            int got = memory.get(cids[which], MemorySegment.ofArray(room), 0, LARGE);
            // What the room holds if there is no chunk is undefined.
            return got == ChunkMemory.ABSENT ? "absent" : describe(room, got);
        }

        /** By the batch reader: a batch of one chunk, because one of two is two operations. */
        @Operation
        public String getByBatch(@Param(name = "which") int which) {
            byte[] room = new byte[LARGE];
            int[] sizes = new int[2];
            memory.get(cids, which, which + 1, MemorySegment.ofArray(room), 0, LARGE, sizes);
            return sizes[which] == ChunkMemory.ABSENT ? "absent" : describe(room, sizes[which]);
        }

        @Operation
        public boolean put(@Param(name = "which") int which, @Param(name = "value") int value) {
            try {
                return memory.put(cids[which], filled(size, value), 0, size);
            } catch (SizeMismatchException e) {
                return false;
            }
        }

        @Operation
        public boolean replace(@Param(name = "which") int which, @Param(name = "value") int value) {
            int next = value % 2 == 0 ? size : LARGE;
            return memory.replace(cids[which], filled(next, value), 0, next);
        }

        @Operation
        public boolean shrink(@Param(name = "which") int which) {
            return memory.resize(cids[which], 3);
        }

        @Operation
        public int sizeOf(@Param(name = "which") int which) {
            return memory.sizeOf(cids[which]);
        }

        @Operation
        public boolean delete(@Param(name = "which") int which) {
            return memory.delete(cids[which]);
        }

        @Operation
        public boolean insert(@Param(name = "which") int which, @Param(name = "value") int value) {
            return memory.insert(cids[which], filled(size, value), 0, size);
        }

        private static String describe(byte[] room, int size) {
            for (int i = 1; i < size; i++) {
                if (room[i] != room[0]) {
                    return "a mixture";
                }
            }
            return size + " times " + room[0];
        }

        private static MemorySegment filled(int size, int value) {
            byte[] bytes = new byte[size];
            Arrays.fill(bytes, (byte) value);
            return MemorySegment.ofArray(bytes);
        }
    }

    /** In a page of entries. */
    public static class InEntries extends Operations {
        /** Two chunks. */
        public InEntries() {
            super(CLASSIC, SIZE);
        }
    }

    /** In a typed page. */
    public static class InTyped extends Operations {
        /** Two chunks. */
        public InTyped() {
            super(TYPED, SIZE);
        }
    }

    /** In a packed page: too few chunks of one size for a typed one. */
    public static class InPacked extends Operations {
        /** Two chunks. */
        public InPacked() {
            super(PACKED, PACKED_SIZE);
        }
    }
}
