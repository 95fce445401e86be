package dev.granary.operator.steer;

import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.SuperPeer;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.Names;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sizes the ring and replaces super-peers (ADR 0111). Keeps no state: the cluster shows what was begun.
 *
 * <p>Invariants (SAFETY rules 15 and 16): (1) a pod goes for good only when its super-peer is outside the ring and
 * votes in no Raft group, highest ordinal first; (2) pods are added one at a time: the ring demotes the super-peer that
 * came last, so this is the one with the highest ordinal; (3) no super-peer leaves the ring unless those that stay have
 * been ready for a while; (4) a super-peer is replaced only while the ring has at least three, all of them ready, and
 * no part of an arc moves.
 */
public final class RingSteering {
    /** The smallest ring that can lose a super-peer and keep the leases of its arc. */
    static final int SAFE_SIZE = 3;

    /** How long a pod must have been ready before the next one is replaced. */
    static final int SETTLE_SECONDS = 5;

    /**
     * The wanted state.
     *
     * @param cluster name of the resource
     * @param wanted wanted number of super-peers
     * @param existing number of pods of the StatefulSet now, 0 before there is one
     * @param mayUpdate whether pods may be replaced for an update now
     * @param canarySeconds how long the first updated pod is watched before the next one is replaced
     */
    public record Wish(String cluster, int wanted, int existing, boolean mayUpdate, int canarySeconds) {}

    private final Wish wish;
    private final PodsView pods;
    private final ClusterView view;
    private final Instant now;
    private final List<Action> actions = new ArrayList<>();
    private final List<Stop> stops = new ArrayList<>();

    private RingSteering(Wish wish, PodsView pods, ClusterView view, Instant now) {
        this.wish = wish;
        this.pods = pods;
        this.view = view;
        this.now = now;
    }

    /**
     * Decides the next steps.
     *
     * @param view the answer of the super-peers; {@code null} when none answers, then nothing changes
     */
    public static Decision decide(Wish wish, PodsView pods, @Nullable ClusterView view, Instant now) {
        if (view == null || view.clusterId() == null) {
            return new Decision(Math.max(1, wish.existing()), List.of(), List.of());
        }
        return new RingSteering(wish, pods, view, now).decide();
    }

    private Decision decide() {
        List<PodView> going = toReplace();
        int target = going.isEmpty() ? wish.wanted() : Math.max(wish.wanted(), SAFE_SIZE);
        if (target < view.ring().expectedSize() && !areWell(target)) {
            target = view.ring().expectedSize();
        }
        int known = view.ring().all().size();
        int replicas = wish.existing();
        if (replicas < target && known >= replicas) {
            replicas++;
        } else if (replicas > target) {
            replicas = shrink(replicas, target);
        }
        int size = Math.min(target, known);
        if (isFormed() && view.ring().expectedSize() != size && !view.ring().isChanging()) {
            actions.add(new Action.ResizeRing(size));
        }
        if (!going.isEmpty()) {
            replaceOne(going, target);
        }
        guardThoseThatStay(going);
        return new Decision(replicas, actions, stops);
    }

    /**
     * Whether the pods that stay have been ready for a while and every arc is served. Until then no super-peer leaves.
     */
    private boolean areWell(int staying) {
        for (int ordinal = 0; ordinal < staying; ordinal++) {
            PodView pod = pods.pod(ordinal).orElse(null);
            if (pod == null || pod.terminating() || !pod.readyFor(SETTLE_SECONDS, now)) {
                return false;
            }
        }
        return view.ring().isServed() && !view.ring().isChanging();
    }

    private boolean isFormed() {
        return view.ring().complete() || view.ring().isServed();
    }

    private Optional<SuperPeer> superPeer(String pod) {
        return view.ring().all().stream().filter(one -> one.name().equals(pod)).findFirst();
    }

    private boolean isMember(String pod) {
        return view.ring().members().stream().anyMatch(one -> one.name().equals(pod));
    }

    private String podName(int ordinal) {
        return Names.role(wish.cluster(), Names.SUPER_PEER) + "-" + ordinal;
    }

    private Stop stop(String pod, Stop.Reason reason, Stop.Phase phase, String message) {
        return new Stop(pod, superPeer(pod).map(SuperPeer::nid).orElse(""), reason, phase, message);
    }

    /** Returns the pods to replace or to move from their Kubernetes node, the highest ordinal first. */
    private List<PodView> toReplace() {
        return pods.pods().stream()
                .filter(pod -> pod.leave() != null || (pod.outdated() && pods.revisionKnown() && wish.mayUpdate()))
                .sorted(Comparator.comparing((PodView pod) -> pod.leave() == null)
                        .thenComparing(PodView::running)
                        .thenComparing(Comparator.comparingInt(PodView::ordinal).reversed()))
                .toList();
    }

    private int shrink(int existing, int target) {
        int replicas = existing;
        boolean highestGo = true;
        for (int ordinal = existing - 1; ordinal >= target; ordinal--) {
            Stop stop = leave(podName(ordinal), target);
            stops.add(stop);
            if (stop.phase() == Stop.Phase.RELEASED && highestGo) {
                replicas = ordinal;
            } else {
                highestGo = false;
            }
        }
        return replicas;
    }

    private Stop leave(String pod, int target) {
        boolean member = isMember(pod);
        int votes = superPeer(pod).map(SuperPeer::votes).orElse(0);
        if (view.ring().isSettled() && !member && votes == 0) {
            return stop(pod, Stop.Reason.SCALE_IN, Stop.Phase.RELEASED, "it is outside the ring and votes nowhere");
        }
        boolean other = member && view.ring().isSettled() && view.ring().size() <= target;
        if (other) {
            return stop(
                    pod,
                    Stop.Reason.SCALE_IN,
                    Stop.Phase.BLOCKED,
                    "the ring kept it and let another super-peer go; ask for one super-peer more, then for this number again");
        }
        return stop(
                pod,
                Stop.Reason.SCALE_IN,
                Stop.Phase.DRAINING,
                member ? "its arc goes to its successor" : "it still votes in " + votes + " groups");
    }

    private void replaceOne(List<PodView> going, int target) {
        PodView next = going.getFirst();
        String waitsFor = waitsFor(next, going.size(), target);
        for (PodView pod : going.reversed()) {
            if (!pod.name().equals(next.name())) {
                stops.add(stop(pod.name(), reason(pod), Stop.Phase.WAITING, "another pod is replaced first"));
            }
        }
        if (waitsFor != null) {
            stops.add(stop(next.name(), reason(next), Stop.Phase.WAITING, waitsFor));
        } else if (next.leave() != null) {
            stops.add(stop(next.name(), reason(next), Stop.Phase.RELEASED, "it may be evicted"));
            if (next.guarded()) {
                actions.add(new Action.Guard(next.name(), next.uid(), false));
            }
        } else {
            stops.add(stop(next.name(), reason(next), Stop.Phase.RELEASED, "the others can do without it"));
            actions.add(new Action.ReplacePod(next.name(), next.uid()));
        }
    }

    private static Stop.Reason reason(PodView pod) {
        PodView.Leave leave = pod.leave();
        if (leave == null) {
            return Stop.Reason.UPDATE;
        }
        return leave == PodView.Leave.NODE_CORDONED ? Stop.Reason.NODE_CORDONED : Stop.Reason.REQUESTED;
    }

    private @Nullable String waitsFor(PodView next, int going, int target) {
        if (next.terminating()) {
            return "it is being replaced";
        }
        if (!next.running() && !isMember(next.name())) {
            return null;
        }
        if (view.ring().size() < Math.max(target, SAFE_SIZE) || wish.existing() < target) {
            return "the ring grows to " + target + " super-peers first, so that it can do without one";
        }
        boolean canary = next.leave() == null && going == wish.existing() - 1;
        int settleSeconds = canary ? Math.max(SETTLE_SECONDS, wish.canarySeconds()) : SETTLE_SECONDS;
        for (int ordinal = 0; ordinal < target; ordinal++) {
            PodView pod = pods.pod(ordinal).orElse(null);
            boolean well = pod != null
                    && !pod.terminating()
                    && (pod.outdated() ? pod.ready() : pod.readyFor(settleSeconds, now));
            if (!well && ordinal != next.ordinal()) {
                return podName(ordinal) + " must be well for a while first";
            }
        }
        boolean settled = next.running() ? view.ring().isSettled() : view.ring().isServed();
        return settled ? null : "the ring must be complete and quiet first";
    }

    private void guardThoseThatStay(List<PodView> going) {
        for (PodView pod : pods.pods()) {
            if (!pod.terminating() && !pod.guarded() && !going.contains(pod) && pod.ordinal() < wish.existing()) {
                actions.add(new Action.Guard(pod.name(), pod.uid(), true));
            }
        }
    }
}
