package dev.granary.tools.simulate;

import dev.granary.simulation.planted.CleanRuns;
import dev.granary.simulation.planted.PlantedBug;
import dev.granary.simulation.planted.PlantedRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Runs planted bugs until seeds show them, and prints how many seeds it took. */
final class PlantedBugRuns {

    private static final long PROGRESS_NANOS = 10_000_000_000L;

    private final long firstSeed;
    private final int threads;
    private final List<PlantedRun> done = new ArrayList<>();
    private final long startNanos = System.nanoTime();
    private final AtomicLong nextNanos = new AtomicLong(startNanos + PROGRESS_NANOS);

    /** @param threads number of bugs that run at a time */
    PlantedBugRuns(long firstSeed, int threads) {
        this.firstSeed = firstSeed;
        this.threads = threads;
    }

    /** Runs all bugs and prints a line for each, in their order. */
    void run(List<PlantedBug> bugs) throws InterruptedException {
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            CleanRuns clean = new CleanRuns();
            List<Future<PlantedRun>> running = bugs.stream()
                    .map(bug -> executor.submit(
                            () -> PlantedRun.of(bug, firstSeed, PlantedRun.MOST_SEEDS, seed -> tell(bug, seed), clean)))
                    .toList();
            try {
                for (Future<PlantedRun> future : running) {
                    PlantedRun run = future.get();
                    done.add(run);
                    System.out.println(run);
                }
            } catch (ExecutionException e) {
                throw new IllegalStateException("a seed has failed other than by a violation", e);
            } finally {
                running.forEach(future -> future.cancel(false));
            }
        }
        System.out.printf("%d planted bugs in %.0f s, %d not caught%n", done.size(), seconds(), missed());
    }

    /** Prints the progress now and then. Several threads call it. */
    private void tell(PlantedBug bug, long seed) {
        long nowNanos = System.nanoTime();
        long dueNanos = nextNanos.get();
        if (nowNanos - dueNanos >= 0 && nextNanos.compareAndSet(dueNanos, nowNanos + PROGRESS_NANOS)) {
            System.err.printf("%s, seed %d, %.0f s%n", bug.name(), seed, seconds());
        }
    }

    /** The number of bugs that no seed has shown, or whose seed has a violation without the bug as well. */
    long missed() {
        return done.stream().filter(run -> !run.isCaught()).count();
    }

    Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("firstSeed", firstSeed);
        json.put("seconds", seconds());
        json.put("missed", missed());
        json.put("planted", done.stream().map(PlantedBugRuns::figures).toList());
        return json;
    }

    private double seconds() {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    private static Map<String, Object> figures(PlantedRun run) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("rule", run.bug().rule());
        figures.put("bug", run.bug().name());
        figures.put("what", run.bug().summary());
        figures.put("caught", run.isCaught());
        figures.put("seedsUntilCaught", run.shown().isPresent() ? run.seeds() : null);
        figures.put("seed", run.seed());
        figures.put("shown", run.shown().map(PlantedBugRuns::firstLine).orElse(null));
        figures.put("cleanWithout", run.shownWithout().isEmpty());
        return figures;
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }
}
