package dev.granary.bench.overlay;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Measures heap after a collection, and processor time of the calling thread, which other work disturbs least. */
final class Measure {

    private static final int COLLECTIONS = 3;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** Keeps the results of lookups alive. Nobody reads it, but the compiler cannot know that. */
    @SuppressWarnings("UnusedVariable")
    private static volatile long sink;

    private Measure() {}

    static long cpuNanos() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** The bytes of all reachable objects. */
    static long usedBytes() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /**
     * Runs one measurement on its own thread, so that nothing on the stack keeps objects of the previous measurement.
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
