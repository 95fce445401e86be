package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Storage peers hibernate while other faults go on. */
class ParkFaultsTest {

    /**
     * In this seed all machines lose their power during the hibernation, and other machines take the places of the
     * storage peers when some of them are parked.
     */
    @Test
    void park_storagePeersMoveMeanwhile_allWorkAgain() {
        assertClean(20_797, Set.of(105, 125, 126, 213));
    }

    /** In this seed a second hibernation is to begin before the first one has ended, which a drain holds up. */
    @Test
    void park_whileTheyAreAsleep_isNoSecondSleep() {
        assertClean(305_510, Set.of(17, 61, 77, 108, 125, 213, 214));
    }

    /** It must not resume from its dump: others have recovered its chunks. */
    @Test
    void park_oneIsGivenUpMeanwhile_itBeginsAnewAndNothingIsLost() {
        SeedPlan plan = LongStream.range(1, 100)
                .mapToObj(seed -> SeedPlan.of(seed).withKinds(Set.of(FaultKind.PARK)))
                .map(usual -> usual.withOperations(600).withShape(usual.shape().withReplicated(true)))
                .filter(usual -> usual.schedule().faults().getFirst().amount() % 3 == 0)
                .findFirst()
                .orElseThrow();
        SeedResult result = SeedRun.run(plan);
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect().get(FaultKind.PARK)).isPositive();
        assertThat(result.outcomes().keySet()).noneMatch(outcome -> outcome.endsWith(" LOST"));
    }

    private static void assertClean(long seed, Set<Integer> faults) {
        SeedPlan plan = SeedPlan.of(seed).withSwarm(true).withOnly(faults);
        SeedResult result = SeedRun.run(plan.withShape(plan.shape().withReplicated(true)));
        assertThat(result.violation()).isEmpty();
    }
}
