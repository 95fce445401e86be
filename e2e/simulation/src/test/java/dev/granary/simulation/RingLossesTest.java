package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What super-peers knew is lost, and is rebuilt from the storage peers while clients work. */
class RingLossesTest {

    private static SeedResult run(long seed, int superPeers, FaultKind lost) {
        SeedPlan plan =
                SeedPlan.of(seed).withKinds(Set.of(lost, FaultKind.LOSS)).withOperations(1_000);
        return SeedRun.run(plan.withShape(plan.shape().withSuperPeers(superPeers)));
    }

    private static SeedResult runWithAllFaults(long seed) {
        SeedPlan plan = SeedPlan.of(seed);
        Set<FaultKind> kinds = EnumSet.copyOf(plan.kinds());
        kinds.add(FaultKind.LOST_ARC);
        return SeedRun.run(plan.withKinds(kinds).withShape(plan.shape().withSuperPeers(5)));
    }

    @Test
    void loseRing_whileClientsWork_everythingIsRebuilt() {
        SeedResult result = run(1, 3, FaultKind.LOST_RING);
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect()).containsEntry(FaultKind.LOST_RING, 1);
    }

    /** In this seed two arcs are lost, and a promotion begins that waits for the second while the first is rebuilt. */
    @Test
    void loseArc_whileAPromotionTakesFromIt_thePromotionGivesWay() {
        SeedResult result = runWithAllFaults(20);
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect()).containsEntry(FaultKind.LOST_ARC, 1);
    }

    /**
     * In this seed the first member of the ring is dead, and another super-peer has its address: the ring could not
     * demote the dead one.
     */
    @Test
    void loseArc_whileClientsWork_itIsRebuiltAndTheDeadMemberLeavesTheRing() {
        SeedResult result = run(30, 5, FaultKind.LOST_ARC);
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect()).containsEntry(FaultKind.LOST_ARC, 1);
    }

    /** In this seed two arcs are lost so late that the ring was to demote the dead member after the last fault. */
    @Test
    void loseArc_shortlyBeforeTheLastFault_theSeedEndsWhenTheRingIsWhole() {
        SeedResult result = runWithAllFaults(12);
        assertThat(result.violation()).isEmpty();
        assertThat(result.tookEffect()).containsEntry(FaultKind.LOST_ARC, 1);
    }
}
