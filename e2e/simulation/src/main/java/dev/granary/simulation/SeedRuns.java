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
 * Runs seeds, several at a time, each in a thread of its own. Runs share nothing, so a seed has the same result
 * whatever runs beside it.
 */
public final class SeedRuns {

    /** How many plans a thread may be ahead of the results; one seed may take as long as several others. */
    private static final int AHEAD = 16;

    private SeedRuns() {}

    /**
     * Runs plans and reports the results in the order of the plans.
     *
     * @param threads how many plans run at a time, at least 1
     * @param told gets each result, called by the calling thread
     * @throws InterruptedException when the calling thread is interrupted; runs that have begun end first
     */
    public static void run(Stream<SeedPlan> plans, int threads, Consumer<SeedResult> told) throws InterruptedException {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            Deque<Running> running = new ArrayDeque<>();
            try {
                for (SeedPlan plan : (Iterable<SeedPlan>) plans::iterator) {
                    if (running.size() == AHEAD * threads) {
                        told.accept(result(running.remove()));
                    }
                    running.add(new Running(plan.seed(), executor.submit(() -> SeedRun.run(plan))));
                }
                while (!running.isEmpty()) {
                    told.accept(result(running.remove()));
                }
            } finally {
                running.forEach(run -> run.result.cancel(false));
            }
        }
    }

    private record Running(long seed, Future<SeedResult> result) {}

    private static SeedResult result(Running run) throws InterruptedException {
        try {
            return run.result.get();
        } catch (ExecutionException | CancellationException e) {
            throw new IllegalStateException("seed " + run.seed + " has failed other than by a violation", e);
        }
    }
}
