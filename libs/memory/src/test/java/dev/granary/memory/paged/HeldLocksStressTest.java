package dev.granary.memory.paged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.memory.LockFigures;
import dev.granary.memory.LockInterruptedException;
import dev.granary.memory.LockMode;
import dev.granary.memory.LockTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads that lock a few chunks in all ways, give up at random, and are interrupted. Each chunk has a plain counter
 * that only writers change, so an overlap of two writers loses a count, and one of reader and writer is seen.
 */
class HeldLocksStressTest {

    private static final int CHUNKS = 3;
    private static final int ROUNDS = 20_000;

    private final HeldLocks locks = new HeldLocks(System::nanoTime);
    private final long[] counters = new long[CHUNKS * 16];
    private final AtomicInteger[] inside = new AtomicInteger[CHUNKS];
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger gaveUp = new AtomicInteger();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void locks_byManyThreads_excludeAsTheyShouldAndLeaveNothing(boolean virtual) throws Exception {
        long seed = virtual ? 1 : 2;
        System.out.println("seed " + seed);
        for (int i = 0; i < CHUNKS; i++) {
            inside[i] = new AtomicInteger();
        }
        try (ExecutorService executor =
                virtual ? Executors.newVirtualThreadPerTaskExecutor() : Executors.newCachedThreadPool()) {
            List<Future<?>> tasks = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                Random random = new Random(seed * 100 + t);
                tasks.add(executor.submit(() -> run(random)));
            }
            for (Future<?> task : tasks) {
                task.get();
            }
        }
        long sum = 0;
        for (int i = 0; i < CHUNKS; i++) {
            sum += counters[i * 16];
        }
        System.out.println(written + " writes, " + gaveUp + " gave up");
        assertThat(sum).isEqualTo(written.get());
        assertThat(gaveUp.get()).isPositive();
        assertThat(locks.heldCount()).isZero();
        assertThat(locks.snapshot()).isEqualTo(new LockFigures(0, 0, 0, 0));
    }

    private void run(Random random) {
        for (int i = 0; i < ROUNDS; i++) {
            int chunk = random.nextInt(CHUNKS);
            LockMode mode = random.nextInt(3) == 0 ? LockMode.WRITE : LockMode.READ;
            if (random.nextInt(1000) == 0) {
                Thread.currentThread().interrupt();
            }
            try {
                locks.lock(chunk, mode, timeoutNanos(random));
            } catch (LockTimeoutException | LockInterruptedException e) {
                gaveUp.incrementAndGet();
                continue;
            } finally {
                Thread.interrupted();
            }
            try {
                use(chunk, mode, random);
            } finally {
                locks.unlock(chunk, mode);
            }
        }
    }

    private void use(int chunk, LockMode mode, Random random) {
        if (mode == LockMode.READ) {
            assertThat(inside[chunk].getAndIncrement()).isNotNegative();
            pause(random);
            inside[chunk].getAndDecrement();
        } else {
            assertThat(inside[chunk].getAndSet(-1000)).isZero();
            long before = counters[chunk * 16];
            pause(random);
            counters[chunk * 16] = before + 1;
            written.incrementAndGet();
            assertThat(inside[chunk].getAndSet(0)).isEqualTo(-1000);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck")
    private static void pause(Random random) {
        if (random.nextInt(4) == 0) {
            Thread.yield();
        }
    }

    private static long timeoutNanos(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(20_000);
            case 2 -> 1_000_000_000;
            default -> Long.MAX_VALUE;
        };
    }
}
