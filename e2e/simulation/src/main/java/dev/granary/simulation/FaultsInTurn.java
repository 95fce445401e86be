package dev.granary.simulation;

import dev.granary.testkit.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Begins the faults that may end a storage peer one after the other, each when chunks have all their copies again:
 * otherwise no copy might be left, and nobody promises anything then (ADR 0109). {@code CRASH_WHILE_DEGRADED} comes
 * while copies are missing, after a fault that takes at most one copy of a chunk, so that one of three is left (ADR
 * 0178).
 */
final class FaultsInTurn {

    private static final long MILLI = 1_000_000;
    private static final long LOOK_NANOS = 50 * MILLI;

    /** After this time every node knows whether the last fault ended a storage peer: a lease, and some more. */
    private static final long SETTLED_NANOS = 1_600 * MILLI;

    private static final long NOT_MISSING = Long.MAX_VALUE;

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final Function<Fault, BooleanSupplier> begin;
    private final BooleanSupplier held;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final Deque<Waiting> waitingForGap = new ArrayDeque<>();
    private long settledAtNanos;

    /** When everything that the last fault does is over, such as a kill a moment after it has begun. */
    private long overAtNanos;

    /** How many copies of a chunk the faults may have taken that began since all copies were last there. */
    private int copiesTaken;

    /** Since when copies have been missing; {@link #NOT_MISSING} while none is. */
    private long missingSinceNanos = NOT_MISSING;

    private boolean looking;
    private boolean stopped;

    /** A fault; {@code begun} holds what tells its effect, once it has begun. */
    private record Waiting(Fault fault, List<BooleanSupplier> begun) {}

    /**
     * @param begin begins a fault; its result tells whether the fault has taken effect
     * @param held whether no fault may begin at the moment
     */
    FaultsInTurn(SimulatedCluster cluster, Function<Fault, BooleanSupplier> begin, BooleanSupplier held) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.begin = begin;
        this.held = held;
    }

    /** Begins a fault when its turn comes; the result tells whether it has taken effect. */
    BooleanSupplier add(Fault fault) {
        Waiting added = new Waiting(fault, new ArrayList<>());
        (fault.kind() == FaultKind.CRASH_WHILE_DEGRADED ? waitingForGap : waiting).add(added);
        if (!looking) {
            looking = true;
            look();
        }
        return () -> added.begun.stream().anyMatch(BooleanSupplier::getAsBoolean);
    }

    /** Whether a fault of this kind waits for its turn. */
    boolean isWaiting(FaultKind kind) {
        return Stream.concat(waiting.stream(), waitingForGap.stream()).anyMatch(each -> each.fault.kind() == kind);
    }

    /** Whether any fault waits for its turn. */
    boolean isAnyWaiting() {
        return !waiting.isEmpty();
    }

    /** Returns for how long the last fault that has begun may still do something. */
    long underWayNanos() {
        return Math.max(0, overAtNanos - simulation.nowNanos());
    }

    /** Begins nothing more. */
    void stop() {
        stopped = true;
    }

    private void look() {
        if (stopped || (waiting.isEmpty() && waitingForGap.isEmpty())) {
            looking = false;
            return;
        }
        boolean inSync = cluster.copiesAreInSync();
        if (held.getAsBoolean()) {
            settle();
        } else if (mayUseGap(inSync)) {
            begin(waitingForGap.remove());
        } else if (!cluster.storagePeersAreReady()) {
            settle();
        } else if (simulation.nowNanos() >= settledAtNanos && inSync) {
            copiesTaken = 0;
            missingSinceNanos = NOT_MISSING;
            begin(waiting.isEmpty() ? openingGap(waitingForGap.element()) : waiting.remove());
        }
        simulation.after(LOOK_NANOS, "look at the copies", this::look);
    }

    private void settle() {
        settledAtNanos = simulation.nowNanos() + SETTLED_NANOS;
    }

    /** Whether copies have been missing long enough for the next fault that waits for that, and enough are left. */
    private boolean mayUseGap(boolean inSync) {
        if (inSync) {
            missingSinceNanos = NOT_MISSING;
            return false;
        }
        missingSinceNanos = Math.min(missingSinceNanos, simulation.nowNanos());
        return copiesTaken == 1
                && !waitingForGap.isEmpty()
                && simulation.nowNanos() - missingSinceNanos
                        >= waitingForGap.element().fault.amount();
    }

    /** No other fault makes copies miss, so this returns the crash of another storage peer, which does. */
    private Waiting openingGap(Waiting next) {
        Fault fault = next.fault;
        Fault opening = new Fault(
                fault.id(), FaultKind.CRASH_PEER, fault.atNanos(), fault.durationNanos(), fault.other(), "", 0);
        return new Waiting(opening, new ArrayList<>());
    }

    private void begin(Waiting next) {
        simulation.note("the turn of " + next.fault, next.fault.id());
        copiesTaken += next.fault.kind().copiesTaken();
        next.begun.add(begin.apply(next.fault));
        overAtNanos = simulation.nowNanos() + SETTLED_NANOS + next.fault.durationNanos();
        settledAtNanos = overAtNanos;
    }
}
