package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.PinnedException;
import dev.granary.memory.page.Page;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sources that another thread closes while they are copied from: what was begun leaves nothing behind. */
class ClosedSourceTest {

    private static final int ROUNDS = 400;
    private static final int LARGE = 200_000;
    private static final long FOREIGN = 7L << 48;

    /** What is to be done with a source that is closed at any moment. */
    private interface Use {
        void of(ChunkMemory memory, MemorySegment source, int round);
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void insert_sourceIsClosedMeanwhile_leavesNothingBehind(MemoryLayout layout) throws Exception {
        int failed = run(layout, (memory, source, round) -> memory.insert(FOREIGN | (1000 + round), source, 0, LARGE));
        assertThat(failed).isPositive();
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void insertOrReplace_sourceIsClosedMeanwhile_hasAllOfAChunkOrNothing(MemoryLayout layout) throws Exception {
        int[] sizes = {500, LARGE / 2, 300, 400, LARGE / 3};
        long[] offsets = {0, 500, 100, 200, LARGE / 2};
        int failed = run(layout, (memory, source, round) -> {
            long[] cids = new long[sizes.length];
            Arrays.setAll(cids, i -> FOREIGN | ((long) (round + 1) << Page.SLOT_BITS) + 70L * i);
            memory.insertOrReplace(cids, 0, cids.length, source, offsets, sizes);
        });
        assertThat(failed).isPositive();
    }

    /** Returns how often the source was closed in the middle. */
    private static int run(MemoryLayout layout, Use use) throws Exception {
        int failed = 0;
        try (ChunkMemory memory = MemoryTests.open(layout, 64 << 20);
                ExecutorService others = Executors.newCachedThreadPool()) {
            memory.insert(FOREIGN | 1, MemorySegment.ofArray(new byte[1]), 0, 1);
            CyclicBarrier begin = new CyclicBarrier(2);
            for (int round = 0; round < ROUNDS; round++) {
                int wait = round % 50 * 40;
                Arena arena = Arena.ofShared();
                MemorySegment source = arena.allocate(LARGE).fill((byte) 7);
                Future<?> close = others.submit(() -> {
                    begin.await();
                    for (int i = 0; i < wait; i++) {
                        Thread.onSpinWait();
                    }
                    arena.close();
                    return true;
                });
                begin.await();
                try {
                    use.of(memory, source, round);
                } catch (IllegalStateException e) {
                    failed++;
                    // The JVM also interrupts a thread when it closes what that thread reads.
                    Thread.interrupted();
                }
                close.get();
                if (round % 40 == 0) {
                    MemoryTests.assertSound(memory);
                    deleteAll(memory);
                }
            }
            deleteAll(memory);
            assertThat(memory.statistics().chunks()).isEqualTo(1);
            assertThat(memory.statistics().payloadBytes()).isEqualTo(1);
            MemoryTests.assertSound(memory);
        }
        return failed;
    }

    private static void deleteAll(ChunkMemory memory) {
        for (long lid = 2; lid < (ROUNDS + 2L) << Page.SLOT_BITS; lid++) {
            long cid = FOREIGN | lid;
            int size = memory.sizeOf(cid);
            if (size != ChunkMemory.ABSENT) {
                byte[] expected = new byte[size];
                Arrays.fill(expected, (byte) 7);
                assertThat(Arrays.equals(MemoryTests.bytes(memory, cid), expected))
                        .isTrue();
                memory.delete(cid);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void delete_oneChunkIsPinned_saysWhichWereDeletedBefore(MemoryLayout layout) {
        try (ChunkMemory memory = MemoryTests.open(layout, 16 << 20)) {
            long[] cids = {memory.create(40), memory.create(40), memory.create(40), memory.create(40)};
            boolean[] deleted = {true, true, true, true};
            memory.pin(cids[2]);
            MemoryModel.refused(PinnedException.class, () -> memory.delete(cids, 1, 4, deleted));
            assertThat(deleted).containsExactly(true, true, false, false);
            assertThat(memory.statistics().chunks()).isEqualTo(3);
            memory.unpin(cids[2]);
            MemoryTests.assertSound(memory);
        }
    }
}
