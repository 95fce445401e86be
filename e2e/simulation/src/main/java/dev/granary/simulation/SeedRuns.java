package dev.granary.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Runs seeds, some at a time, each in one thread of its own: runs share nothing,
 * so that a seed has the same result whatever runs beside it.
 */
public final class SeedRuns {

    private SeedRuns() {}

    /**
     * Runs plans and tells the results in the order of the plans.
     *
     * @param threads how many at a time, at least 1
     * @param told by the calling thread
     * @throws InterruptedException when the calling thread is interrupted; runs that have begun end first
     */
    public static void run(Stream<SeedPlan> plans, int threads, Consumer<SeedResult> told) throws InterruptedException {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            Deque<Future<SeedResult>> running = new ArrayDeque<>();
            try {
                for (SeedPlan plan : (Iterable<SeedPlan>) plans::iterator) {
                    if (running.size() == 2 * threads) {
                        told.accept(result(running.remove()));
                    }
                    running.add(executor.submit(() -> SeedRun.run(plan)));
                }
                while (!running.isEmpty()) {
                    told.accept(result(running.remove()));
                }
            } finally {
                running.forEach(future -> future.cancel(false));
            }
        }
    }

    private static SeedResult result(Future<SeedResult> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException | CancellationException e) {
            throw new IllegalStateException("a run has failed other than by a violation", e);
        }
    }
}
