package dev.granary.simulation.planted;

import dev.granary.simulation.SeedResult;
import dev.granary.simulation.SeedRun;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * The seeds that it took to catch a planted bug.
 *
 * @param seeds how many seeds were run with the bug, including the one that shows it
 * @param seed the seed that shows it, or the last one that was run
 * @param shown what that seed shows; empty when none does
 * @param shownWithout what the same seed shows without the bug, which must be nothing
 */
public record PlantedRun(PlantedBug bug, int seeds, long seed, Optional<String> shown, Optional<String> shownWithout) {

    /** The most seeds that each planted bug may need. */
    public static final int MOST_SEEDS = 500;

    /**
     * Runs seeds with a bug until one shows it, then runs that seed without the bug.
     *
     * @param begins gets each seed before it is run
     * @param clean has what seeds show without a bug
     */
    public static PlantedRun of(PlantedBug bug, long firstSeed, int mostSeeds, LongConsumer begins, CleanRuns clean) {
        for (int i = 0; i < mostSeeds; i++) {
            long seed = firstSeed + i;
            begins.accept(seed);
            Optional<String> shown = bug.shownBy(SeedRun.run(bug.planWith(seed)));
            if (shown.isPresent()) {
                SeedResult without = clean.of(bug, seed);
                return new PlantedRun(
                        bug, i + 1, seed, shown, without.violation().or(() -> bug.shownBy(without)));
            }
        }
        return new PlantedRun(bug, mostSeeds, firstSeed + mostSeeds - 1, Optional.empty(), Optional.empty());
    }

    /** Whether a seed shows the bug, and shows nothing without it. */
    public boolean isCaught() {
        return shown.isPresent() && shownWithout.isEmpty();
    }

    @Override
    public String toString() {
        String what = "rule %d: %s ".formatted(bug.rule(), bug.name());
        if (shown.isEmpty()) {
            return what + "is NOT CAUGHT by " + seeds + " seeds";
        }
        return what
                + shownWithout
                        .map(problem ->
                                "is caught by seed " + seed + ", which is NOT CLEAN without it: " + firstLine(problem))
                        .orElseGet(() -> "is caught by seed " + seed + ": " + firstLine(shown.get()));
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("");
    }
}
