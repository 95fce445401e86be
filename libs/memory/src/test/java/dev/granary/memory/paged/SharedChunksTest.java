package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.CleanerConfig;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.PinnedException;
import dev.granary.memory.ReadOnlyException;
import dev.granary.memory.SizeMismatchException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every operation at the same chunks at once, beside the cleaner. Each payload consists of one byte value, repeated, so
 * that a reader sees a mixture, a wrong size or bytes of another chunk.
 */
class SharedChunksTest {

    private static final int CHUNKS = 3000;
    private static final int ROUNDS = 30_000;
    private static final int BATCH = 150;
    private static final int MOST_BYTES = 2500;
    private static final long FOREIGN = 7L << 48;
    private static final CleanerConfig EAGER = new CleanerConfig(0.01, 0.01, 1, 50_000, 0);

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void all_atTheSameChunksBesideTheCleaner_seeNoMixtureAndFailOnlyAsTheySay(MemoryLayout layout) throws Exception {
        try (ChunkMemory memory = MemoryTests.open(layout, 32 << 20);
                Cleaner cleaner = new Cleaner(memory, EAGER, nanos -> Thread.sleep(0, 1000))) {
            long[] cids = new long[CHUNKS];
            for (int i = 0; i < CHUNKS; i++) {
                cids[i] = memory.create(size(i));
            }
            cleaner.start();
            AtomicBoolean done = new AtomicBoolean();
            List<Callable<Void>> tasks = List.of(
                    () -> replace(memory, cids, new Random(1), done),
                    () -> deleteAndInsert(memory, cids, new Random(2), done),
                    () -> churn(memory, new Random(3), done),
                    () -> readBatches(memory, cids, new Random(4), done),
                    () -> askSizes(memory, cids, new Random(5), done),
                    () -> pinAndProtect(memory, cids, new Random(6), done));
            try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
                List<Future<Void>> all = new ArrayList<>();
                for (Callable<Void> task : tasks) {
                    all.add(threads.submit(() -> {
                        try {
                            return task.call();
                        } finally {
                            done.set(true);
                        }
                    }));
                }
                for (Future<Void> each : all) {
                    each.get();
                }
            }
            cleaner.stop();
            assertThat(cleaner.failure()).isNull();
            assertThat(cleaner.movedBytes()).isPositive();
            MemoryTests.assertSound(memory);
        }
    }

    /** Mostly one size, so that there are typed pages, and some that are packed, forwarded, or have length bytes. */
    private static int size(int random) {
        return switch (random & 15) {
            case 0 -> 0;
            case 1, 2, 3 -> 1 + (random >>> 4) % 900;
            case 4 -> 1 + (random >>> 4) % MOST_BYTES;
            default -> 48;
        };
    }

    private static MemorySegment filled(int size, int value) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, (byte) value);
        return MemorySegment.ofArray(bytes);
    }

    private static Void replace(ChunkMemory memory, long[] cids, Random random, AtomicBoolean done) {
        for (int i = 0; i < ROUNDS && !done.get(); i++) {
            long cid = cids[random.nextInt(CHUNKS)];
            int size = size(random.nextInt(1 << 20));
            try {
                memory.replace(cid, filled(size, i), 0, size);
                memory.put(cid, filled(size, i + 1), 0, size);
            } catch (PinnedException | ReadOnlyException | SizeMismatchException e) {
                // Others have pinned or protected it, or given it another size.
                assertThat(e).isNotNull();
            }
        }
        return null;
    }

    private static Void deleteAndInsert(ChunkMemory memory, long[] cids, Random random, AtomicBoolean done) {
        boolean[] deleted = new boolean[CHUNKS];
        while (!done.get()) {
            int from = random.nextInt(CHUNKS - BATCH);
            try {
                memory.delete(cids, from, from + BATCH, deleted);
            } catch (PinnedException e) {
                assertThat(e).isNotNull();
            }
            for (int i = from; i < from + BATCH; i++) {
                int size = size(random.nextInt(1 << 20));
                boolean inserted = memory.insert(cids[i], filled(size, i), 0, size);
                assertThat(inserted).as("0x%016x", cids[i]).isEqualTo(deleted[i]);
            }
        }
        return null;
    }

    /**
     * Leaves holes for the cleaner. Its chunks are of another peer:
     * creates would be given the LIDs that are free for a moment.
     */
    private static Void churn(ChunkMemory memory, Random random, AtomicBoolean done) {
        while (!done.get()) {
            for (int i = 1; i < 8000 && !done.get(); i++) {
                int size = size(random.nextInt(1 << 20));
                memory.insert(FOREIGN | i, filled(size, i), 0, size);
            }
            for (int i = 1; i < 8000 && !done.get(); i++) {
                if (random.nextInt(8) != 0) {
                    memory.delete(FOREIGN | i);
                }
            }
        }
        return null;
    }

    private static Void readBatches(ChunkMemory memory, long[] cids, Random random, AtomicBoolean done) {
        byte[] room = new byte[BATCH * MOST_BYTES];
        int[] sizes = new int[CHUNKS];
        while (!done.get()) {
            int from = random.nextInt(CHUNKS - BATCH);
            int to = memory.get(cids, from, from + BATCH, MemorySegment.ofArray(room), 0, room.length, sizes);
            assertThat(to).isEqualTo(from + BATCH);
            int at = 0;
            for (int i = from; i < to; i++) {
                for (int k = 1; k < sizes[i]; k++) {
                    if (room[at + k] != room[at]) {
                        throw new AssertionError("chunk 0x%016x of %d B is torn".formatted(cids[i], sizes[i]));
                    }
                }
                at += Math.max(0, sizes[i]);
            }
        }
        return null;
    }

    private static Void askSizes(ChunkMemory memory, long[] cids, Random random, AtomicBoolean done) {
        while (!done.get()) {
            assertThat(memory.sizeOf(cids[random.nextInt(CHUNKS)])).isBetween(ChunkMemory.ABSENT, MOST_BYTES);
        }
        return null;
    }

    private static Void pinAndProtect(ChunkMemory memory, long[] cids, Random random, AtomicBoolean done) {
        while (!done.get()) {
            long cid = cids[random.nextInt(CHUNKS)];
            if (random.nextInt(8) == 0) {
                memory.setReadOnly(cid);
            } else if (memory.pin(cid) != 0) {
                assertThat(memory.sizeOf(cid)).isNotEqualTo(ChunkMemory.ABSENT);
                memory.unpin(cid);
            }
        }
        return null;
    }
}
