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
 * Lets super-peers lose their disks, all of them or two neighbours of five, so that what they knew exists nowhere any
 * more. Then does what a person does: starts others, and asks them to rebuild it from the storage peers until they say
 * that it is done (ADR 0127). Storage peers stay alive meanwhile, as they have the only copy. Once a seed.
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

    /** Whether super-peers are lost and what they knew is not rebuilt yet. */
    boolean isUnderWay() {
        return underWay;
    }

    /**
     * Lets all super-peers lose their disks. After the fault's time, super-peers with empty disks take their places.
     */
    BooleanSupplier loseRing(Fault fault) {
        return lose(fault, cluster.superPeerNames());
    }

    /** Lets two super-peers with neighbouring arcs lose their disks. */
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
                        // The arc of the second one kept its majority, so the second one is still on the ring, and
                        // dead.
                        rings.takeOffSilent(size, ended);
                    } else {
                        rings.comeTo(size, ended);
                    }
                })));
        return () -> effect.taken;
    }

    /** Asks again and again, each time the same super-peer first. */
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

    /** All storage peers that live have answered then: those that are still missing have lost their disks. */
    private static boolean isLossCertain(@Nullable RebuildProgress progress) {
        return progress != null && progress.text().startsWith(OTHERS_MENTION);
    }

    private static @Nullable HostAddress named(@Nullable Throwable failure) {
        return Refusals.namedBy(Futures.causeIfAny(failure));
    }
}
