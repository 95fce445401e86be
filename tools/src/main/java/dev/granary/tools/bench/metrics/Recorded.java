package dev.granary.tools.bench.metrics;

import dev.granary.process.DurationHistogram;
import dev.granary.process.EnumCounters;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Does what a storage peer does for the metrics of a get: counts the chunk by its outcome, and times the request. */
final class Recorded {

    private static final long FIRST_NANOS = 1_000;
    private static final int BOUNDS = 12;
    private static final int BATCH = 100_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private enum Outcome {
        OK,
        NOT_FOUND,
        REFUSED,
        ERROR
    }

    private Recorded() {}

    /** Returns how much processor time it takes on average, where so many threads do it without a pause. */
    static double nanosOf(int threads, long millis) throws InterruptedException {
        DurationHistogram seconds = new DurationHistogram(FIRST_NANOS, BOUNDS);
        EnumCounters<Outcome> chunks = new EnumCounters<>(Outcome.class);
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        AtomicLong recorded = new AtomicLong();
        AtomicLong taken = new AtomicLong();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(Thread.ofPlatform().start(() -> {
                long begin = THREADS.getCurrentThreadCpuTime();
                long count = 0;
                while (System.nanoTime() < endNanos) {
                    for (int n = 0; n < BATCH; n++) {
                        chunks.add(Outcome.OK, 1);
                        // Times of requests differ, and with them the buckets.
                        seconds.record((long) n << 4);
                    }
                    count += BATCH;
                }
                recorded.addAndGet(count);
                taken.addAndGet(THREADS.getCurrentThreadCpuTime() - begin);
            }));
        }
        for (Thread thread : all) {
            thread.join();
        }
        return (double) taken.get() / recorded.get();
    }
}
