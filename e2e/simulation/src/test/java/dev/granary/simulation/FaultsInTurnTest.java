package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.testkit.Simulation;
import org.junit.jupiter.api.Test;

/** Faults that take copies begin one after the other, and what they do late belongs to them. */
class FaultsInTurnTest {

    private static final long MILLI = 1_000_000;

    /**
     * The storage peer of the fault is killed up to 0.8 s after it has begun, and starts again 14 ms later. Seed
     * 120001796 read its keys meanwhile, as if nothing were broken.
     */
    @Test
    void underWay_peerThatIsKilledLate_isSoUntilItHasStartedAgain() {
        try (SimulatedCluster cluster =
                new SimulatedCluster(20_261_127, ClusterShape.of(1, 4, 1).withReplicated(true))) {
            cluster.start();
            Simulation simulation = cluster.simulation();
            LateAnswers lateAnswers = new LateAnswers(cluster);
            FaultsInTurn faults = new FaultsInTurn(cluster, lateAnswers::begin, () -> false);
            StorageMachine victim = cluster.storagePeers().getLast();
            boolean[] killed = new boolean[1];
            var _ = faults.add(new Fault(1, FaultKind.LATE_ANSWERS, 0, 14 * MILLI, victim.name(), "", 7));
            assertThat(faults.underWayNanos()).isZero();
            assertThat(simulation.runUntil(() -> !faults.isAnyWaiting(), 60_000 * MILLI))
                    .isTrue();
            faults.stop();

            long leftNanos = faults.underWayNanos();
            assertThat(leftNanos).isGreaterThan(814 * MILLI);
            simulation.runUntil(
                    () -> {
                        killed[0] |= !victim.node().isRunning();
                        return false;
                    },
                    leftNanos);
            assertThat(killed[0]).as("it was killed").isTrue();
            assertThat(victim.node().isRunning()).as("it runs again").isTrue();
            assertThat(faults.underWayNanos()).isZero();
        }
    }
}
