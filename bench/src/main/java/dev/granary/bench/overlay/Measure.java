package dev.granary.bench.overlay;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Heap after a collection, and the processor time of the calling thread: other work disturbs it least. */
final class Measure {

    private static final int COLLECTIONS = 3;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Keeps the results of lookups alive: nobody reads it, but the compiler cannot know. */
    @SuppressWarnings("UnusedVariable")
    private static volatile long sink;

    private Measure() {}

    static long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** The bytes of what is reachable. */
    static long usedBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /**
     * Runs one measurement on a thread of its own, so that nothing on the stack keeps what the one before has left.
     *
     * @throws IllegalStateException when it fails
     */
    static void alone(Runnable measurement) {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform()
                .name("measurement")
                .uncaughtExceptionHandler((any, thrown) -> failure.set(thrown))
                .start(measurement);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("the measurement failed", thrown);
        }
    }

    static void keep(long result) {
        sink = result;
    }
}
