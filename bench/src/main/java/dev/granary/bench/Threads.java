package dev.granary.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work on some threads that start together. */
final class Threads {

    private Threads() {}

    /** What one thread does. */
    interface Work {
        void run(int thread) throws Exception;
    }

    /**
     * How long it took.
     *
     * @param seconds from the common start until the last has ended
     * @param cpuSeconds processor time of all threads together
     */
    record Time(double seconds, double cpuSeconds) {}

    static Time time(int threads, Work work) throws Exception {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            CyclicBarrier start = new CyclicBarrier(threads + 1);
            List<Future<Long>> futures = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                Callable<Long> task = () -> {
                    start.await();
                    long from = cpuNanos();
                    work.run(thread);
                    return cpuNanos() - from;
                };
                futures.add(executor.submit(task));
            }
            start.await();
            long from = System.nanoTime();
            long cpuNanos = 0;
            for (Future<Long> future : futures) {
                cpuNanos += future.get();
            }
            return new Time((System.nanoTime() - from) / 1e9, cpuNanos / 1e9);
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
