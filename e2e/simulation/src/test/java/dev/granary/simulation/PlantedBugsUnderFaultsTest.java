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
            SeedPlan usual = SeedPlan.of(seed).withOperations(1_000).withKinds(bug.kinds());
            SeedPlan plan = usual.withShape(bug.base(usual.shape()));
            SeedResult result = SeedRun.run(plan.withShape(bug.plant(plan.shape())));
            if (bug.isShownBy(result)) {
                SeedResult without = SeedRun.run(plan);
                assertThat(without.violation()).as("without the bug").isEmpty();
                assertThat(bug.isShownBy(without)).as("without the bug").isFalse();
                System.out.println(bug + " is caught by seed " + seed + ": "
                        + result.violation()
                                .orElse("operations without an answer")
                                .lines()
                                .findFirst()
                                .orElseThrow());
                return;
            }
        }
        throw new AssertionError(bug + " is not caught by " + MOST_SEEDS + " seeds");
    }
}
