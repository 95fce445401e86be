package dev.granary.simulation;

import dev.granary.testkit.SimulatedNetwork;
import dev.granary.testkit.Simulation;
import java.util.function.BooleanSupplier;

/** Faults of the links between two nodes. */
final class LinkFaults {

    private static final int WAYS = 3;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final SimulatedNetwork network;

    LinkFaults(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.network = simulation.network();
    }

    /** Begins a fault of a link; the result tells whether it has taken effect. */
    BooleanSupplier begin(Fault fault) {
        return switch (fault.kind()) {
            case DUPLICATE -> duplicate(fault);
            case RESET -> always(network.resetConnections(host(fault.target()), host(fault.other())) > 0);
            case PARTITION -> cut(fault, true);
            case ONE_WAY_PARTITION -> cut(fault, false);
            case PEER_PARTITION, SUPER_PEER_PARTITION, LATE_RETRANSMISSION -> cut(fault, fault.amount() % 2 == 0);
            case STALLED_CONNECTION -> stall(fault);
            case HALF_OPEN_CONNECTION -> forget(fault);
            default -> throw new IllegalArgumentException(fault + " is not about a link");
        };
    }

    private static BooleanSupplier always(boolean effect) {
        return () -> effect;
    }

    private String host(String name) {
        return cluster.nodeOf(name).name();
    }

    private BooleanSupplier cut(Fault fault, boolean bothWays) {
        String from = host(fault.target());
        String to = host(fault.other());
        boolean backOff = fault.kind() == FaultKind.LATE_RETRANSMISSION;
        int before = network.blocked(from, to) + (bothWays ? network.blocked(to, from) : 0);
        cut(from, to, backOff);
        if (bothWays) {
            cut(to, from, backOff);
        }
        simulation.after(fault.durationNanos(), "end of fault", () -> {
            network.heal(from, to);
            if (bothWays) {
                network.heal(to, from);
            }
        });
        return () -> network.blocked(from, to) + (bothWays ? network.blocked(to, from) : 0) > before;
    }

    private void cut(String from, String to, boolean backOff) {
        if (backOff) {
            network.cutWithBackOff(from, to);
        } else {
            network.cut(from, to);
        }
    }

    private BooleanSupplier duplicate(Fault fault) {
        long before = network.resetsAfterFrames();
        network.resetAfterNextFrame(host(fault.target()), host(fault.other()));
        return () -> network.resetsAfterFrames() > before;
    }

    private BooleanSupplier stall(Fault fault) {
        long before = network.heldFrames();
        int pick = (int) fault.amount() / WAYS;
        int way = (int) fault.amount() % WAYS;
        String one = host(fault.target());
        String other = host(fault.other());
        if (way != 1) {
            network.stallConnection(one, other, fault.durationNanos(), pick);
        }
        if (way != 2) {
            network.stallConnection(other, one, fault.durationNanos(), pick);
        }
        return () -> network.heldFrames() > before;
    }

    private BooleanSupplier forget(Fault fault) {
        boolean answers = fault.amount() % 2 == 0;
        int pick = (int) fault.amount() / 2;
        return always(network.forgetConnection(host(fault.target()), host(fault.other()), answers, pick));
    }
}
