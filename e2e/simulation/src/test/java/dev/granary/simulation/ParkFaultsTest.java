package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** Storage peers are put to sleep while other faults go on. */
class ParkFaultsTest {

    /** In this seed all machines lose their power meanwhile, and other ones stand for the storage peers when some of them sleep. */
    @Test
    void park_storagePeersMoveMeanwhile_allWorkAgain() {
        SeedPlan plan = SeedPlan.of(20_797).withSwarm(true).withOnly(Set.of(105, 125, 126, 213));
        SeedResult result = SeedRun.run(plan.withShape(plan.shape().withReplicated(true)));
        assertThat(result.violation()).isEmpty();
    }
}
