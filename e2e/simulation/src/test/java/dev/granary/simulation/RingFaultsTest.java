package dev.granary.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.testkit.Simulation;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Faults of the ring of super-peers that happen together. */
class RingFaultsTest {

    private static final long SECOND = 1_000_000_000;

    /** If two of three lose their disks at one moment, no majority is left, and nobody promises anything then. */
    @Test
    void lose_twoAtOneMoment_oneIsLost() {
        try (SimulatedCluster cluster = new SimulatedCluster(283, ClusterShape.of(3, 5, 1))) {
            cluster.start();
            Simulation simulation = cluster.simulation();
            RingFaults faults = new RingFaults(cluster);
            simulation.runFor(5 * SECOND);
            List<BooleanSupplier> effects = IntStream.range(0, 3)
                    .mapToObj(
                            i -> new Fault(i, FaultKind.LOST_SUPER_PEER, simulation.nowNanos(), 0, "super-" + i, "", 0))
                    .map(faults::lose)
                    .toList();
            simulation.runFor(SECOND);
            assertThat(effects.stream().filter(BooleanSupplier::getAsBoolean)).hasSize(1);
            assertThat(cluster.superPeers().stream().map(Machine::name).filter(name -> name.contains("-new-")))
                    .hasSize(1);
            faults.stop();
        }
    }
}
