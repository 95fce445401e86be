package dev.granary.simulation;

import dev.granary.testkit.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Begins faults that may end a storage peer one after the other, each when chunks have all their copies again: else there
 * might be none left, which nobody promises (ADR 0109).
 */
final class FaultsInTurn {

    private static final long MILLI = 1_000_000;
    private static final long LOOK_NANOS = 50 * MILLI;

    /** So long after the last one it is known to everybody if a storage peer has ended: a lease, and some more. */
    private static final long SETTLED_NANOS = 1_600 * MILLI;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final Function<Fault, BooleanSupplier> begin;
    private final BooleanSupplier held;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long settledAtNanos;
    private boolean looking;
    private boolean stopped;

    /** A fault, and what tells its effect once it has begun. */
    private record Waiting(Fault fault, List<BooleanSupplier> begun) {}

    /**
     * @param begin begins a fault and says what tells its effect
     * @param held whether none may begin at the moment
     */
    FaultsInTurn(SimulatedCluster cluster, Function<Fault, BooleanSupplier> begin, BooleanSupplier held) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.begin = begin;
        this.held = held;
    }

    /** Begins a fault when it is its turn; tells whether it has taken effect. */
    BooleanSupplier add(Fault fault) {
        Waiting added = new Waiting(fault, new ArrayList<>());
        waiting.add(added);
        if (!looking) {
            looking = true;
            look();
        }
        return () -> added.begun.stream().anyMatch(BooleanSupplier::getAsBoolean);
    }

    /** Whether a fault of this kind waits for its turn. */
    boolean isWaiting(FaultKind kind) {
        return waiting.stream().anyMatch(each -> each.fault.kind() == kind);
    }

    /** Begins nothing more. */
    void stop() {
        stopped = true;
    }

    private void look() {
        if (stopped || waiting.isEmpty()) {
            looking = false;
            return;
        }
        if (!cluster.storagePeersAreReady() || held.getAsBoolean()) {
            settledAtNanos = simulation.nowNanos() + SETTLED_NANOS;
        } else if (simulation.nowNanos() >= settledAtNanos && cluster.copiesAreInSync()) {
            Waiting next = waiting.remove();
            simulation.note("the turn of " + next.fault, next.fault.id());
            next.begun.add(begin.apply(next.fault));
            settledAtNanos = simulation.nowNanos() + SETTLED_NANOS + next.fault.durationNanos();
        }
        simulation.after(LOOK_NANOS, "look at the copies", this::look);
    }
}
