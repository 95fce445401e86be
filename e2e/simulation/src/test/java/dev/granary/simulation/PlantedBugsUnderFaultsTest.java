package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

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
            if (isCaught(bug, result)) {
                assertThat(SeedRun.run(plan).violation()).as("without the bug").isEmpty();
                System.out.println(bug + " is caught by seed " + seed + ": "
                        + result.violation().orElseThrow().lines().findFirst().orElseThrow());
                return;
            }
        }
        throw new AssertionError(bug + " is not caught by " + MOST_SEEDS + " seeds");
    }

    /**
     * A cluster that only stands still does not count: clients must have seen what cannot be. But where a super-peer has
     * forgotten what it promised, storage peers see that, and stop rather than give a CID twice.
     */
    private static boolean isCaught(PlantedBug bug, SeedResult result) {
        return result.violation()
                .filter(problem -> problem.startsWith("chunk ")
                        || (bug == PlantedBug.ACKNOWLEDGED_BEFORE_REPLICATION
                                && problem.contains("does not become ready again")))
                .isPresent();
    }
}
