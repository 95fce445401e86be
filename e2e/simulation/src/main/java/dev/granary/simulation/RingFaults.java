package dev.granary.simulation;

import dev.granary.testkit.Simulation;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** Gives the ring of super-peers another size while the cluster is used, so that some are promoted or demoted. */
final class RingFaults {

    private static final long LOOK_NANOS = 50_000_000;
    private static final int LOOKS = 400;

    private final SimulatedCluster cluster;
    private final Simulation simulation;

    /** Whether the ring has come to the size that a fault asked for. */
    private static final class Effect {
        private boolean taken;
    }

    RingFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
    }

    /** Asks for a size that the ring does not have, chosen by the fault's amount. */
    BooleanSupplier begin(Fault fault) {
        Effect effect = new Effect();
        OptionalInt present = size();
        int most = cluster.superPeers().size();
        if (present.isEmpty() || most < 2 || cluster.operator().isEmpty()) {
            return () -> false;
        }
        int wanted = 1 + (present.getAsInt() + (int) (fault.amount() % (most - 1))) % most;
        SimulatedCluster.Operator operator = cluster.operator().get();
        // Whether it is heard of is not asked here: its super-peers may be out of reach.
        operator.scheduler().execute(() -> operator.client()
                .resizeRing(wanted)
                .exceptionally(failure -> null)
                .isDone());
        look(wanted, effect, LOOKS);
        return () -> effect.taken;
    }

    private void look(int wanted, Effect effect, int left) {
        simulation.after(LOOK_NANOS, "look at the ring", () -> {
            OptionalInt size = size();
            effect.taken = size.isPresent() && size.getAsInt() == wanted;
            if (!effect.taken && left > 0) {
                look(wanted, effect, left - 1);
            }
        });
    }

    /** The size of the newest ring that a running super-peer knows. */
    private OptionalInt size() {
        return cluster.superPeers().stream()
                .flatMap(machine -> machine.ring().stream())
                .reduce((a, b) -> a.epoch() >= b.epoch() ? a : b)
                .map(ring -> OptionalInt.of(ring.members().size()))
                .orElse(OptionalInt.empty());
    }
}
