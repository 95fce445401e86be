package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.CleanerConfig;
import dev.granary.memory.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CleanerTest {

    private static final int SIZE = 40;
    private static final CleanerConfig EAGER = new CleanerConfig(0.01, 0.01, 1, 50_000, 0);

    @Test
    void run_aboveTheThreshold_cleansStepByStep() throws InterruptedException {
        try (ChunkMemory memory = MemoryTests.open(MemoryLayout.TYPED, 64 << 20)) {
            List<Long> cids = new ArrayList<>();
            for (int i = 0; i < 200_000; i++) {
                cids.add(memory.create(SIZE));
            }
            Semaphore pauses = new Semaphore(0);
            Semaphore reached = new Semaphore(0);
            CleanerConfig config = new CleanerConfig(0.3, 0.3, 5, 100_000, 7);
            List<Long> nanos = new ArrayList<>();
            try (Cleaner cleaner = new Cleaner(memory, config, pause -> {
                nanos.add(pause);
                reached.release();
                pauses.acquire();
            })) {
                cleaner.start();
                cleaner.start();
                reached.acquire(1);
                pauses.release();
                reached.acquire(1);
                // Nothing was scattered: it waits for the next time.
                assertThat(nanos).containsExactly(5L, 5L);
                assertThat(cleaner.movedBytes()).isZero();
                for (int i = 0; i < cids.size(); i += 2) {
                    memory.delete(cids.get(i));
                }
                pauses.release();
                reached.acquire(1);
                assertThat(nanos).endsWith(7L);
                assertThat(cleaner.movedBytes()).isBetween(1L, 1_000_000L);
                pauses.release(100_000);
                while (cleaner.releasedSegments() == 0) {
                    reached.acquire(1);
                }
                cleaner.stop();
                cleaner.stop();
                assertThat(cleaner.failure()).isNull();
            }
            MemoryTests.assertSound(memory);
            assertThat(memory.reclaimableShare()).isLessThan(0.5);
        }
    }

    @Test
    void run_memoryClosedUnderIt_endsWithTheReason() throws InterruptedException {
        ChunkMemory memory = MemoryTests.open(MemoryLayout.TYPED, 4 << 20);
        CountDownLatch closed = new CountDownLatch(1);
        Cleaner cleaner = new Cleaner(memory, EAGER, nanos -> closed.await());
        cleaner.start();
        memory.close();
        closed.countDown();
        while (cleaner.failure() == null) {
            Thread.onSpinWait();
        }
        assertThat(cleaner.failure()).hasMessageContaining("closed");
        cleaner.close();
    }

    @Test
    void config_impossibleNumbers_areRefused() {
        assertThatThrownBy(() -> new CleanerConfig(1.5, 0, 1, 1, 1)).hasMessageContaining("threshold");
        assertThatThrownBy(() -> new CleanerConfig(0.5, Double.NaN, 1, 1, 1)).hasMessageContaining("idleThreshold");
        assertThatThrownBy(() -> new CleanerConfig(0.5, 0.5, 0, 1, 1)).hasMessageContaining("interval");
        assertThat(CleanerConfig.defaults().threshold()).isBetween(0.0, 1.0);
    }

    @ParameterizedTest
    @EnumSource(MemoryLayout.class)
    void run_besideReadersAndWriters_noChunkIsEverWrong(MemoryLayout layout) throws Exception {
        int threads = 4;
        try (ChunkMemory memory = MemoryTests.open(layout, 32 << 20);
                Cleaner cleaner = new Cleaner(memory, EAGER, nanos -> Thread.sleep(0, 1000))) {
            AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
            List<Thread> workers = new ArrayList<>();
            List<Worker> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Worker worker = new Worker(memory, i);
                all.add(worker);
                workers.add(Thread.ofPlatform().unstarted(() -> {
                    try {
                        worker.run();
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                }));
            }
            cleaner.start();
            workers.forEach(Thread::start);
            for (Thread worker : workers) {
                worker.join();
            }
            cleaner.stop();
            assertThat(failure.get()).isNull();
            assertThat(cleaner.failure()).isNull();
            assertThat(cleaner.movedBytes()).isPositive();
            MemoryTests.assertSound(memory);
            for (Worker worker : all) {
                worker.checkAll();
            }
        }
    }

    /** Has chunks of its own, and knows what must be in them: words that all have one value. */
    private static final class Worker {

        private final ChunkMemory memory;
        private final Random random;
        private final List<Long> cids = new ArrayList<>();
        private final List<Long> values = new ArrayList<>();
        private final long[] room = new long[64];

        Worker(ChunkMemory memory, long seed) {
            this.memory = memory;
            this.random = new Random(seed);
        }

        void run() {
            for (int step = 0; step < 150_000; step++) {
                int kind = random.nextInt(100);
                boolean growing = step / 20_000 % 2 == 0;
                if (cids.isEmpty() || (kind < (growing ? 45 : 10) && cids.size() < 60_000)) {
                    long value = random.nextLong();
                    cids.add(memory.create(words(value), 0, size(value)));
                    values.add(value);
                } else {
                    int index = random.nextInt(cids.size());
                    if (kind < 50) {
                        memory.delete(cids.get(index));
                        cids.set(index, cids.getLast());
                        values.set(index, values.getLast());
                        cids.removeLast();
                        values.removeLast();
                    } else if (kind < 65) {
                        long value = random.nextLong();
                        memory.replace(cids.get(index), words(value), 0, size(value));
                        values.set(index, value);
                    } else {
                        check(index);
                    }
                }
            }
        }

        void checkAll() {
            for (int i = 0; i < cids.size(); i++) {
                check(i);
            }
        }

        /** Mostly one size, so that there are typed pages. */
        private static int size(long value) {
            return (value & 7) != 0 ? 32 : 8 + 8 * (int) (value >>> 8 & 31);
        }

        private MemorySegment words(long value) {
            java.util.Arrays.fill(room, value);
            return MemorySegment.ofArray(room);
        }

        private void check(int index) {
            long value = values.get(index);
            int size = memory.get(cids.get(index), MemorySegment.ofArray(room), 0, 512);
            if (size != size(value)) {
                throw new AssertionError("chunk 0x%016x has %d B".formatted(cids.get(index), size));
            }
            for (int i = 0; i < size / 8; i++) {
                if (room[i] != value) {
                    throw new AssertionError("chunk 0x%016x is torn".formatted(cids.get(index)));
                }
            }
        }
    }
}
