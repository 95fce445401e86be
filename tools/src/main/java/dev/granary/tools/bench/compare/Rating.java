package dev.granary.tools.bench.compare;

import dev.granary.bench.stores.BgRating;
import dev.granary.bench.stores.CaseFigures;
import dev.granary.tools.bench.compare.Contestant.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a store is worth by {@link BgRating}.
 *
 * @param opsPerSecond the highest median rate among those numbers of threads with which every round kept the
 *     limits; 0 when no number of threads did
 * @param threads of that rate
 * @param staleReads of all rounds of all numbers of threads
 */
public record Rating(String workload, String store, double opsPerSecond, int threads, long staleReads) {

    /** Rates the stores of several measurements, each with another number of threads. */
    static List<Rating> of(String workload, List<CaseTable> tables) {
        Map<String, Rating> best = new LinkedHashMap<>();
        for (CaseTable table : tables) {
            table.rounds().forEach((store, rounds) -> {
                long stale = rounds.stream()
                        .mapToLong(round -> round.figures().staleReads())
                        .sum();
                Rating before = best.getOrDefault(store, new Rating(workload, store, 0, 0, 0));
                double rate =
                        rounds.stream().allMatch(Rating::isWithinLimits) ? CaseTable.medianOpsPerSecond(rounds) : 0;
                boolean better = rate > before.opsPerSecond;
                best.put(
                        store,
                        new Rating(
                                workload,
                                store,
                                better ? rate : before.opsPerSecond,
                                better ? table.request().threads() : before.threads,
                                before.staleReads + stale));
            });
        }
        return new ArrayList<>(best.values());
    }

    private static boolean isWithinLimits(Result round) {
        CaseFigures figures = round.figures();
        return BgRating.isWithinLimits(
                figures.p95Micros(),
                figures.staleReads() / (double) Math.max(1, figures.operations()),
                figures.errors());
    }

    /** A line for people. */
    public String print() {
        return String.format(
                Locale.ROOT,
                "%-18s %-7s %7s %-11s %,12.0f with %d threads, %d stale reads%n",
                workload,
                "rating",
                "",
                store,
                opsPerSecond,
                threads,
                staleReads);
    }
}
