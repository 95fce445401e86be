package dev.granary.simulation;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each planted bug is caught by random runs; {@link PlantedBugTest} shows the scenarios one by one. */
class PlantedBugsUnderFaultsTest {

    private static final int MOST_SEEDS = 500;

    @ParameterizedTest
    @EnumSource
    void run_withAPlantedBug_isCaught(PlantedBug bug) {
        for (long seed = 1; seed <= MOST_SEEDS; seed++) {
            SeedPlan plan = SeedPlan.of(seed).withOperations(1_000).withKinds(bug.kinds());
            SeedResult result = SeedRun.run(plan.withShape(bug.plant(plan.shape())));
            if (isAboutData(result)) {
                System.out.println(bug + " is caught by seed " + seed + ": "
                        + result.violation().orElseThrow().lines().findFirst().orElseThrow());
                return;
            }
        }
        throw new AssertionError(bug + " is not caught by " + MOST_SEEDS + " seeds");
    }

    /** A cluster that only stands still does not count: clients must have seen what cannot be. */
    private static boolean isAboutData(SeedResult result) {
        return result.violation()
                .filter(problem -> problem.startsWith("chunk "))
                .isPresent();
    }
}
