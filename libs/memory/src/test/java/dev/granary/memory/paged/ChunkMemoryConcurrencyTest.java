package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.SizeMismatchException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Several threads use the same chunks. Every payload consists of one byte value, repeated, so that a reader sees a
 * mixture, a wrong size or bytes of another chunk.
 */
@ParameterizedClass
@EnumSource(MemoryLayout.class)
class ChunkMemoryConcurrencyTest {

    private final MemoryLayout layout;

    ChunkMemoryConcurrencyTest(MemoryLayout layout) {
        this.layout = layout;
    }

    private static final int ROUNDS = 120_000;

    @ParameterizedTest
    @ValueSource(ints = {16, 64, 100, 3000})
    void get_whileOthersPutReplaceDeleteAndCreate_neverSeesAMixture(int size) throws Exception {
        long seed = 42L + size;
        System.out.println("seed " + seed);
        try (ChunkMemory memory = MemoryTests.open(layout, 16 << 20)) {
            long[] cids = new long[4];
            for (int i = 0; i < cids.length; i++) {
                cids[i] = memory.create(size);
            }
            AtomicBoolean done = new AtomicBoolean();
            int rounds = size > 1000 ? ROUNDS / 6 : ROUNDS;
            List<Callable<Void>> tasks = new ArrayList<>();
            tasks.add(() -> write(memory, cids, size, rounds, new Random(seed), done));
            tasks.add(() -> replace(memory, cids, size, rounds, new Random(seed + 1), done));
            tasks.add(() -> recycle(memory, rounds, size, new Random(seed + 2), done));
            tasks.add(() -> read(memory, cids, size, new Random(seed + 3), done));
            tasks.add(() -> readBatches(memory, cids, size, done));
            tasks.add(() -> importObjects(memory, cids, new Random(seed + 4), done));
            runAll(tasks, done);
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void createAndDelete_byManyThreads_giveEachCidOnceAndLeaveNothing() throws Exception {
        try (ChunkMemory memory = MemoryTests.open(layout, 32 << 20)) {
            ConcurrentHashMap<Long, Thread> alive = new ConcurrentHashMap<>();
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int t = 0; t < 6; t++) {
                long seed = 100L + t;
                System.out.println("seed " + seed);
                tasks.add(() -> createAndDelete(memory, alive, new Random(seed)));
            }
            runAll(tasks, new AtomicBoolean());
            assertThat(memory.statistics().chunks()).isEqualTo(alive.size());
            MemoryTests.assertSound(memory);
            for (long cid : alive.keySet()) {
                assertThat(memory.delete(cid)).isTrue();
            }
            assertThat(memory.statistics().chunks()).isZero();
            assertThat(memory.statistics().payloadBytes()).isZero();
            MemoryTests.assertSound(memory);
        }
    }

    @Test
    void delete_byManyThreadsAtTheSameChunks_succeedsOnceEach() throws Exception {
        try (ChunkMemory memory = MemoryTests.open(layout, 8 << 20)) {
            int count = 20_000;
            long[] cids = new long[count];
            memory.create(count, new int[count], null, 0, cids);
            List<Callable<Void>> tasks = new ArrayList<>();
            int[] successes = new int[4];
            for (int t = 0; t < 4; t++) {
                int index = t;
                tasks.add(() -> {
                    successes[index] = memory.delete(cids, 0, count, new boolean[count]);
                    return null;
                });
            }
            runAll(tasks, new AtomicBoolean());
            assertThat(successes[0] + successes[1] + successes[2] + successes[3])
                    .isEqualTo(count);
            MemoryTests.assertSound(memory);
        }
    }

    private static Void createAndDelete(ChunkMemory memory, ConcurrentHashMap<Long, Thread> alive, Random random) {
        List<Long> mine = new ArrayList<>();
        for (int i = 0; i < 15_000; i++) {
            boolean shrinking = i / 3000 % 2 == 1;
            if (mine.isEmpty() || random.nextInt(10) >= (shrinking ? 7 : 3)) {
                byte value = (byte) random.nextInt();
                int size = random.nextInt(60);
                long cid = memory.create(MemorySegment.ofArray(filled(size, value)), 0, size);
                assertThat(alive.put(cid, Thread.currentThread()))
                        .as("0x%016x given twice", cid)
                        .isNull();
                mine.add(cid);
            } else {
                int index = random.nextInt(mine.size());
                long cid = mine.get(index);
                mine.set(index, mine.getLast());
                mine.removeLast();
                alive.remove(cid);
                assertThat(memory.delete(cid)).isTrue();
            }
        }
        return null;
    }

    private static Void write(
            ChunkMemory memory, long[] cids, int size, int rounds, Random random, AtomicBoolean done) {
        for (int i = 0; i < rounds && !done.get(); i++) {
            try {
                memory.put(cids[random.nextInt(2)], MemorySegment.ofArray(filled(size, (byte) i)), 0, size);
            } catch (SizeMismatchException e) {
                assertThat(e).hasMessageContaining(" has ");
            }
        }
        done.set(true);
        return null;
    }

    private static Void replace(
            ChunkMemory memory, long[] cids, int size, int rounds, Random random, AtomicBoolean done) {
        for (int i = 0; i < rounds && !done.get(); i++) {
            int next = size - random.nextInt(4);
            assertThat(memory.replace(
                            cids[1 + random.nextInt(3)], MemorySegment.ofArray(filled(next, (byte) i)), 0, next))
                    .isTrue();
        }
        return null;
    }

    /** Takes the blocks that replace frees, and writes something that no reader may see. */
    private static Void recycle(ChunkMemory memory, int rounds, int size, Random random, AtomicBoolean done) {
        byte[] garbage = new byte[size];
        for (int i = 0; i < size; i++) {
            garbage[i] = (byte) i;
        }
        for (int i = 0; i < rounds && !done.get(); i++) {
            int next = size - random.nextInt(3);
            assertThat(memory.delete(memory.create(MemorySegment.ofArray(garbage), 0, next)))
                    .isTrue();
        }
        return null;
    }

    private static Void read(ChunkMemory memory, long[] cids, int size, Random random, AtomicBoolean done) {
        byte[] room = new byte[size];
        MemorySegment target = MemorySegment.ofArray(room);
        while (!done.get()) {
            int got = memory.get(cids[random.nextInt(cids.length)], target, 0, size);
            checkUniform(room, 0, got, size);
        }
        return null;
    }

    private static Void readBatches(ChunkMemory memory, long[] cids, int size, AtomicBoolean done) {
        byte[] room = new byte[size * cids.length];
        int[] sizes = new int[cids.length];
        while (!done.get()) {
            int end = memory.get(cids, 0, cids.length, MemorySegment.ofArray(room), 0, room.length, sizes);
            assertThat(end).isEqualTo(cids.length);
            int at = 0;
            for (int got : sizes) {
                checkUniform(room, at, got, size);
                at += got;
            }
        }
        return null;
    }

    private static Void importObjects(ChunkMemory memory, long[] cids, Random random, AtomicBoolean done) {
        while (!done.get()) {
            long cid = cids[random.nextInt(cids.length)];
            memory.get(cid, in -> {
                byte first = in.readByte();
                while (in.remainingBytes() > 0) {
                    if (in.readByte() != first) {
                        throw new AssertionError("a mixture in 0x%016x".formatted(cid));
                    }
                }
            });
        }
        return null;
    }

    private static void checkUniform(byte[] room, int at, int got, int size) {
        if (got < size - 3 || got > size) {
            throw new AssertionError("a size of " + got + " instead of " + size);
        }
        for (int i = 1; i < got; i++) {
            if (room[at + i] != room[at]) {
                throw new AssertionError("a mixture: " + room[at] + " and " + room[at + i] + " of " + got + " B");
            }
        }
    }

    private static byte[] filled(int size, byte value) {
        byte[] bytes = new byte[size];
        Arrays.fill(bytes, value);
        return bytes;
    }

    /** Runs each task in a thread of its own; fails with the first failure after all have ended. */
    private static void runAll(List<Callable<Void>> tasks, AtomicBoolean done) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(tasks.size())) {
            List<Future<Void>> futures = new ArrayList<>();
            for (Callable<Void> task : tasks) {
                futures.add(executor.submit(() -> {
                    try {
                        return task.call();
                    } catch (Throwable e) {
                        done.set(true);
                        throw e;
                    }
                }));
            }
            Throwable failure = null;
            for (Future<Void> future : futures) {
                try {
                    future.get();
                } catch (ExecutionException e) {
                    failure = failure == null ? e.getCause() : failure;
                }
            }
            if (failure != null) {
                throw new AssertionError(failure);
            }
        }
    }
}
