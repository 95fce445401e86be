package dev.granary.operator.steer;

import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Sizes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Scales and replaces storage peers (ADR 0110). Keeps no state: the cluster shows what was begun.
 *
 * <p>Invariants (SAFETY rule 16): (1) a pod goes only when its peer is drained, by the committed plan of its arc, is a
 * member of no zone, and has itself reported that it has no chunk; or when its lease is over and other storage peers
 * have taken over everything that it owned and kept; a pod that comes back with its disk also goes when its process
 * does not run and its lease is over; (2) the highest ordinal goes first; (3) nothing moves for a scale-in before there
 * is room for all of it; (4) at most one pod is replaced for an update at a time; (5) a drain that is not wanted any
 * more is aborted, but only for a pod that is ready and stays.
 */
public final class StorageSteering {
    /** How long a new pod must have been ready before the next one is replaced. */
    static final int SETTLE_SECONDS = 5;

    /**
     * The factor from the payload of moved chunks to the room that they may need, with a tenth of the room to spare.
     */
    private static final double ROOM_FACTOR = 1.3;

    private static final double MAX_FILL = 0.9;

    /**
     * The wanted state.
     *
     * @param cluster name of the resource
     * @param wanted wanted number of storage peers
     * @param existing number of pods of the StatefulSet now
     * @param mayUpdate whether pods may be replaced for an update now
     * @param canarySeconds how long the first updated pod is watched before the next one is replaced
     * @param deadlineSeconds how long a pod may take to get more memory while it runs, before it is replaced
     */
    public record Wish(
            String cluster, int wanted, int existing, boolean mayUpdate, int canarySeconds, int deadlineSeconds) {}

    private final Wish wish;
    private final PodsView pods;
    private final ClusterView view;
    private final Instant now;
    private final List<Action> actions = new ArrayList<>();
    private final List<Stop> stops = new ArrayList<>();
    private final Set<Integer> leaving = new HashSet<>();
    private int replicas;

    private StorageSteering(Wish wish, PodsView pods, ClusterView view, Instant now) {
        this.wish = wish;
        this.pods = pods;
        this.view = view;
        this.now = now;
        this.replicas = wish.existing();
    }

    /**
     * Decides the next steps.
     *
     * @param view the answer of the super-peers; {@code null} when none answers, then pods are only added
     */
    public static Decision decide(Wish wish, PodsView pods, @Nullable ClusterView view, Instant now) {
        if (view == null || view.clusterId() == null) {
            return new Decision(Math.max(wish.wanted(), wish.existing()), List.of(), List.of());
        }
        return new StorageSteering(wish, pods, view, now).decide();
    }

    private Decision decide() {
        if (wish.wanted() >= wish.existing()) {
            replicas = wish.wanted();
        } else {
            scaleIn();
        }
        handOver();
        update();
        takeBack();
        return new Decision(replicas, actions, stops);
    }

    private Optional<StoragePeer> peer(int ordinal) {
        return view.storagePeer(podName(ordinal));
    }

    private String podName(int ordinal) {
        return Names.role(wish.cluster(), Names.STORAGE) + "-" + ordinal;
    }

    private void scaleIn() {
        List<Integer> going = IntStream.range(wish.wanted(), wish.existing())
                .boxed()
                .sorted(Comparator.reverseOrder())
                .toList();
        leaving.addAll(going);
        String noRoom = noRoomFor(going);
        boolean highestGo = true;
        for (int ordinal : going) {
            Stop stop = noRoom != null && !isLeaving(ordinal)
                    ? stop(ordinal, Stop.Reason.SCALE_IN, Stop.Phase.BLOCKED, noRoom)
                    : drain(ordinal, Stop.Reason.SCALE_IN);
            stops.add(stop);
            if (stop.phase() == Stop.Phase.RELEASED && highestGo) {
                replicas = ordinal;
            } else {
                highestGo = false;
            }
        }
    }

    private boolean isLeaving(int ordinal) {
        return peer(ordinal).map(StoragePeer::leaving).orElse(false);
    }

    /** Returns why the storage peers that stay cannot take the chunks of those that go; {@code null} when they can. */
    private @Nullable String noRoomFor(List<Integer> going) {
        long needed = 0;
        long room = 0;
        for (StoragePeer peer : view.storagePeers()) {
            boolean goes = going.stream().anyMatch(ordinal -> podName(ordinal).equals(peer.name()));
            if (goes) {
                // A peer without a lease moves nothing: its zones are recovered where there is room, or not at all.
                needed += peer.live() ? (long) (peer.payloadBytes() * ROOM_FACTOR) : 0;
            } else if (peer.live() && !peer.leaving()) {
                room += Math.max(0, (long) (peer.capacityBytes() * MAX_FILL) - peer.usedBytes());
            }
        }
        return needed <= room
                ? null
                : "the storage peers that stay have room for " + Sizes.text(room) + ", but " + Sizes.text(needed)
                        + " would have to move. Nothing has been moved. Keep more storage peers, or give them more memory";
    }

    /** Takes the next step of draining a pod's storage peer, and returns the stop. */
    private Stop drain(int ordinal, Stop.Reason reason) {
        leaving.add(ordinal);
        PodView pod = pods.pod(ordinal).orElse(null);
        Optional<StoragePeer> known = peer(ordinal);
        if (known.isEmpty()) {
            return pod == null || !pod.ready()
                    ? stop(ordinal, reason, Stop.Phase.RELEASED, "it never belonged to the cluster")
                    : stop(ordinal, reason, Stop.Phase.WAITING, "it is joining the cluster");
        }
        StoragePeer peer = known.get();
        if (peer.isEmpty()) {
            return stop(ordinal, reason, Stop.Phase.RELEASED, "it owns nothing, backs up nothing and takes nothing");
        }
        if (!peer.live()) {
            return withoutLease(ordinal, reason, peer);
        }
        if (peer.leaving()) {
            return stop(ordinal, reason, Stop.Phase.DRAINING, moving(peer));
        }
        actions.add(new Action.StartDrain(podName(ordinal), Integer.decode(peer.nid())));
        return stop(ordinal, reason, Stop.Phase.DRAINING, "its chunks are to move to the other storage peers");
    }

    /**
     * Returns the stop of a pod whose peer has no lease. The peer hands over nothing any more, but others may have
     * copies of everything that it had (ADR 0115).
     */
    private Stop withoutLease(int ordinal, Stop.Reason reason, StoragePeer peer) {
        if (peer.isReplaced() && view.ring().isSettled()) {
            return stop(
                    ordinal,
                    reason,
                    Stop.Phase.RELEASED,
                    "its lease is over, and others have taken over all that it owned and kept");
        }
        String has = peer.zones() == null
                ? "may own chunks"
                : "owns " + peer.zones() + " zones and keeps " + peer.copies()
                        + " copies by what the super-peers have committed";
        return stop(
                ordinal,
                reason,
                Stop.Phase.BLOCKED,
                "it has no lease, and " + has
                        + ": others must take them over, or it must come back; the condition Replicated says how that goes");
    }

    private static String moving(StoragePeer peer) {
        return peer.chunks() == 0 && peer.copies() > 0
                ? "its chunks have moved; " + peer.copies()
                        + " copies that it keeps for others are being made elsewhere"
                : "its chunks and copies move to the other storage peers";
    }

    private Stop stop(int ordinal, Stop.Reason reason, Stop.Phase phase, String message) {
        String nid = peer(ordinal).map(StoragePeer::nid).orElse("");
        return new Stop(podName(ordinal), nid, reason, phase, message);
    }

    /**
     * Drains pods on cordoned Kubernetes nodes and pods whose stop a person has asked for. Then lets them be evicted.
     */
    private void handOver() {
        for (PodView pod : pods.pods()) {
            PodView.Leave why = pod.leave();
            if (why == null || pod.terminating() || leaving.contains(pod.ordinal()) || pod.ordinal() >= replicas) {
                continue;
            }
            Stop.Reason reason = why == PodView.Leave.NODE_CORDONED ? Stop.Reason.NODE_CORDONED : Stop.Reason.REQUESTED;
            Stop stop = drain(pod.ordinal(), reason);
            if (stop.phase() == Stop.Phase.RELEASED) {
                stop = stop(
                        pod.ordinal(),
                        reason,
                        Stop.Phase.RELEASED,
                        "it owns nothing, backs up nothing and may be evicted");
                if (pod.guarded()) {
                    actions.add(new Action.Guard(pod.name(), pod.uid(), false));
                }
            }
            stops.add(stop);
        }
    }

    /**
     * Gives more memory to pods that differ from the template only in memory. Then replaces one outdated pod, if no
     * other stop is under way.
     */
    private void update() {
        if (!pods.revisionKnown() || !wish.mayUpdate()) {
            return;
        }
        Set<Integer> growing = grow();
        List<PodView> outdated = pods.pods().stream()
                .filter(pod -> pod.outdated() && !leaving.contains(pod.ordinal()) && pod.ordinal() < replicas)
                .filter(pod -> !growing.contains(pod.ordinal()))
                .sorted(Comparator.comparing((PodView pod) -> !isLeaving(pod.ordinal()))
                        .thenComparing(PodView::running)
                        .thenComparing(Comparator.comparingInt(PodView::ordinal).reversed()))
                .toList();
        if (outdated.isEmpty()) {
            return;
        }
        PodView next = outdated.getFirst();
        String waitsFor = waitsFor(next, outdated.size());
        for (PodView pod : outdated.reversed()) {
            if (waitsFor != null || !pod.name().equals(next.name())) {
                String why = waitsFor != null ? waitsFor : "another pod is replaced first";
                stops.add(stop(pod.ordinal(), Stop.Reason.UPDATE, Stop.Phase.WAITING, why));
            }
        }
        if (waitsFor == null) {
            replace(next);
        }
    }

    /**
     * Gives all pods more memory at once, because none stops for it. A pod that is being drained continues to drain.
     * Returns the ordinals of the pods.
     */
    private Set<Integer> grow() {
        Set<Integer> growing = new HashSet<>();
        for (PodView pod : pods.pods()) {
            int ordinal = pod.ordinal();
            PodView.Growth growth = pod.growth(wish.deadlineSeconds(), now).orElse(null);
            if (growth == null || leaving.contains(ordinal) || ordinal >= replicas || isLeaving(ordinal)) {
                continue;
            }
            growing.add(ordinal);
            if (growth.since() == null) {
                actions.add(new Action.GrowMemory(pod.name(), pod.uid(), growth.memory()));
            }
            stops.add(stop(
                    ordinal,
                    Stop.Reason.UPDATE,
                    Stop.Phase.GROWING,
                    "its memory grows to " + growth.memory() + " while it runs"));
        }
        return growing;
    }

    private @Nullable String waitsFor(PodView next, int outdated) {
        if (!stops.isEmpty()) {
            return "other pods go first";
        }
        if (next.terminating()) {
            return "it is being replaced";
        }
        if (isLeaving(next.ordinal()) || mayGoAtOnce(next)) {
            return null;
        }
        boolean canary = outdated == replicas - 1;
        int settleSeconds = canary ? Math.max(SETTLE_SECONDS, wish.canarySeconds()) : SETTLE_SECONDS;
        for (int ordinal = 0; ordinal < replicas; ordinal++) {
            PodView pod = pods.pod(ordinal).orElse(null);
            boolean well = pod != null
                    && peer(ordinal).map(StoragePeer::live).orElse(false)
                    && (pod.outdated() ? pod.ready() : pod.readyFor(settleSeconds, now));
            if (!well && ordinal != next.ordinal()) {
                return podName(ordinal) + " must be well for a while first";
            }
        }
        return view.ring().isServed() ? null : "every arc of the ring must be answered for first";
    }

    /** Whether a pod may go at once. A pod whose process does not run cannot hand over anything. */
    private boolean mayGoAtOnce(PodView pod) {
        return !pod.running() && !peer(pod.ordinal()).map(StoragePeer::live).orElse(false);
    }

    private void replace(PodView pod) {
        Stop stop;
        if (mayGoAtOnce(pod)) {
            leaving.add(pod.ordinal());
            stop = stop(pod.ordinal(), Stop.Reason.UPDATE, Stop.Phase.RELEASED, "its process does not run");
        } else {
            stop = drain(pod.ordinal(), Stop.Reason.UPDATE);
        }
        if (stop.phase() == Stop.Phase.RELEASED) {
            actions.add(new Action.ReplacePod(pod.name(), pod.uid()));
        }
        stops.add(stop);
    }

    /** Aborts the drains of pods that stay, and guards these pods again. */
    private void takeBack() {
        for (PodView pod : pods.pods()) {
            if (pod.terminating() || leaving.contains(pod.ordinal()) || pod.ordinal() >= replicas) {
                continue;
            }
            StoragePeer peer = peer(pod.ordinal()).orElse(null);
            if (!pod.guarded()) {
                actions.add(new Action.Guard(pod.name(), pod.uid(), true));
            }
            if (peer != null && peer.leaving() && peer.live() && pod.ready()) {
                actions.add(new Action.AbortDrain(pod.name(), Integer.decode(peer.nid())));
            }
        }
    }
}
