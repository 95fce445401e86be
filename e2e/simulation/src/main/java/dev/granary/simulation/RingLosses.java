package dev.granary.simulation;

import dev.granary.env.Futures;
import dev.granary.net.cluster.Refusals;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RingMessages.RebuildProgress;
import dev.granary.net.message.RingMessages.RebuildRing;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import dev.granary.overlay.RingMember;
import dev.granary.testkit.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has super-peers lose their disks so that what they knew is nowhere any more, all of them or two of five that follow
 * each other, and does what a person does then: others are started, and asked to rebuild it from the storage peers
 * until they say that it is done (ADR 0127). Meanwhile storage peers live, as theirs is the only copy; once a seed.
 */
final class RingLosses {

    private static final long SECOND = 1_000_000_000;
    private static final long ASK_NANOS = SECOND / 5;
    private static final long CALL_TIMEOUT_NANOS = 5 * SECOND;
    private static final int MAX_HOPS = 4;

    /** The size of the smallest ring that can lose two super-peers and go on. */
    static final int LEAST_TO_LOSE_AN_ARC = 5;

    private static final String OTHERS_MENTION = "waiting for storage peers that others mention";

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final RingFaults rings;
    private boolean underWay;
    private boolean happened;

    /** Whether everything was rebuilt. */
    private static final class Effect {
        private boolean taken;
    }

    RingLosses(SimulatedCluster cluster, RingFaults rings) {
        this.cluster = cluster;
        this.simulation = cluster.simulation();
        this.rings = rings;
    }

    /** Whether super-peers are lost, and what they knew is not rebuilt yet. */
    boolean isUnderWay() {
        return underWay;
    }

    /** All super-peers lose their disks. After the fault's time super-peers with empty disks take their places. */
    BooleanSupplier loseRing(Fault fault) {
        return lose(fault, cluster.superPeerNames());
    }

    /** Two super-peers whose arcs follow each other lose their disks. */
    BooleanSupplier loseArc(Fault fault) {
        List<String> members = rings.ring().map(Ring::members).orElse(List.of()).stream()
                .map(RingMember::name)
                .toList();
        if (members.size() < LEAST_TO_LOSE_AN_ARC || !rings.isWhole()) {
            return () -> false;
        }
        int first = (int) (fault.amount() % members.size());
        List<String> hosts = List.of(members.get(first), members.get((first + 1) % members.size()));
        return lose(
                fault,
                cluster.superPeerNames().stream()
                        .filter(name -> hosts.contains(cluster.machine(name).name()))
                        .toList());
    }

    private BooleanSupplier lose(Fault fault, List<String> names) {
        Effect effect = new Effect();
        if (happened
                || !cluster.isReady()
                || !cluster.namesAreSaved()
                || cluster.operator().isEmpty()
                || !rings.claim()) {
            return () -> false;
        }
        happened = true;
        underWay = true;
        Runnable rebuilt = cluster.loseSuperPeers(names, fault.durationNanos());
        SimulatedCluster.Operator operator = cluster.operator().get();
        simulation.after(fault.durationNanos() + ASK_NANOS, "rebuild", () -> operator.scheduler()
                .execute(() -> ask(operator, false, () -> {
                    simulation.note("all arcs are rebuilt", fault.id());
                    rebuilt.run();
                    Runnable ended = () -> {
                        underWay = false;
                        effect.taken = true;
                    };
                    int size = cluster.superPeers().size();
                    if (fault.kind() == FaultKind.LOST_ARC) {
                        // The arc of the second one had a majority: it is on the ring still, and dead.
                        rings.takeOffSilent(size, ended);
                    } else {
                        rings.comeTo(size, ended);
                    }
                })));
        return () -> effect.taken;
    }

    /** Asks again and again, the same super-peer first. */
    private void ask(SimulatedCluster.Operator operator, boolean acceptLoss, Runnable then) {
        List<HostAddress> peers = new ArrayList<>();
        cluster.storagePeers().stream()
                .filter(machine -> machine.lastNid() != Nid.NONE)
                .forEach(machine -> peers.add(new HostAddress(machine.name(), SimulatedCluster.STORAGE_PORT)));
        ask(operator, cluster.firstSuperPeer(), new RebuildRing(peers, acceptLoss), MAX_HOPS, then);
    }

    private void ask(
            SimulatedCluster.Operator operator, HostAddress target, RebuildRing wanted, int hops, Runnable then) {
        var _ = operator.rpc()
                .call(target, Nid.NONE, MessageType.REBUILD_RING, wanted, CALL_TIMEOUT_NANOS)
                .handle((progress, failure) -> {
                    HostAddress named = named(failure);
                    if (named != null && hops > 0) {
                        ask(operator, named, wanted, hops - 1, then);
                    } else if (progress != null && progress.done()) {
                        then.run();
                    } else {
                        boolean acceptLoss = isLossCertain(progress);
                        operator.scheduler().schedule(ASK_NANOS, () -> ask(operator, acceptLoss, then));
                    }
                    return null;
                });
    }

    /** Those who live have all answered then: who is still missing has lost its disk. */
    private static boolean isLossCertain(@Nullable RebuildProgress progress) {
        return progress != null && progress.text().startsWith(OTHERS_MENTION);
    }

    private static @Nullable HostAddress named(@Nullable Throwable failure) {
        return Refusals.namedBy(Futures.causeIfAny(failure));
    }
}
