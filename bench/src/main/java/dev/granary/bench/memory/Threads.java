package dev.granary.bench.memory;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work on several threads that start together. */
public final class Threads {

    private Threads() {}

    /** The work of one thread. */
    public interface Work {
        void run(int thread) throws Exception;
    }

    /**
     * The time of a run.
     *
     * @param seconds from the first thread's start until the last has ended
     * @param cpuSeconds processor time of all threads together
     */
    public record Time(double seconds, double cpuSeconds) {}

    /** Runs the work on {@code threads} threads and returns the time. Throws the failure of a thread. */
    public static Time time(int threads, Work work) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<Stretch>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                Callable<Stretch> task = () -> {
                    start.await();
                    // Each thread notes its own start: a thread that only waits may wake up much later than these.
                    long from = System.nanoTime();
                    long cpuFrom = cpuNanos();
                    work.run(thread);
                    return new Stretch(from, System.nanoTime(), cpuNanos() - cpuFrom);
                };
                futures.add(executor.submit(task));
            }
            long from = Long.MAX_VALUE;
            long to = Long.MIN_VALUE;
            long cpuNanos = 0;
            for (Future<Stretch> future : futures) {
                Stretch stretch = future.get();
                from = Math.min(from, stretch.from());
                to = Math.max(to, stretch.to());
                cpuNanos += stretch.cpuNanos();
            }
            return new Time(Math.max(1, to - from) / 1e9, cpuNanos / 1e9);
        }
    }

    private record Stretch(long from, long to, long cpuNanos) {}

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
