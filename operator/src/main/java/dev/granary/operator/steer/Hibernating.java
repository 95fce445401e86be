package dev.granary.operator.steer;

import dev.granary.operator.control.SleepStep;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next step of hibernating a cluster, or of resuming it (ADR 0116). While there is such a step, nothing
 * else is decided.
 *
 * <p>Invariants (SAFETY rule 16): (1) no storage peer is parked before all refuse changes and all backups have the
 * earlier changes; (2) the storage pods go only when every storage peer is committed as parked, in a view to which all
 * arcs have reported; (3) the super-peers go after the last storage pod, and come back before the first; (4) a
 * StatefulSet without pods keeps the number of pods that it is to have again.
 */
public final class Hibernating {
    /** The phases between working and hibernated. */
    public enum Phase {
        REFUSING_CHANGES("RefusingChanges"),
        WRITING_MEMORY("WritingMemory"),
        STOPPING_PODS("StoppingPods"),
        ASLEEP("Asleep"),
        WAKING("Waking");

        private final String text;

        Phase(String text) {
            this.text = text;
        }

        /** Returns the phase as text for the status. */
        public String text() {
            return text;
        }

        /** Returns the phase in a status, {@code null} for a cluster that works. */
        public static @Nullable Phase of(@Nullable String text) {
            for (Phase phase : values()) {
                if (phase.text.equals(text)) {
                    return phase;
                }
            }
            return null;
        }
    }

    /**
     * A decision.
     *
     * @param plan the wanted plan, with the present numbers of pods
     * @param step the step to ask of the storage peers, {@code null} for none
     * @param actions the actions to take now
     * @param phase the phase of the cluster
     * @param message what the cluster waits for
     */
    public record Result(
            ClusterPlan plan, @Nullable SleepStep step, List<Action> actions, Phase phase, String message) {}

    private final ClusterPlan plan;
    private final PodsView superPeers;
    private final PodsView storage;
    private final @Nullable ClusterView view;
    private final @Nullable Phase before;

    private Hibernating(
            ClusterPlan asked,
            PodsView superPeers,
            PodsView storage,
            @Nullable ClusterView view,
            @Nullable Phase before) {
        this.plan = asked.with(
                asked.superPeers().keepingTemplate(true), asked.storage().keepingTemplate(true));
        this.superPeers = superPeers;
        this.storage = storage;
        this.view = view;
        this.before = before;
    }

    /**
     * Returns the decision; empty for a cluster that works and should work, or that has not formed yet.
     *
     * @param before the phase in the last status, {@code null} for a cluster that works
     */
    public static Optional<Result> decide(
            ClusterPlan asked,
            PodsView superPeers,
            PodsView storage,
            @Nullable ClusterView view,
            @Nullable Phase before) {
        boolean sleeps = asked.superPeers().asleep() || asked.storage().asleep();
        if (asked.clusterId() == null || !(asked.hibernate() || sleeps || before != null)) {
            return Optional.empty();
        }
        Hibernating it = new Hibernating(asked, superPeers, storage, view, before);
        return Optional.of(asked.hibernate() ? it.toSleep() : it.wake());
    }

    private Result toSleep() {
        if (plan.storage().asleep()) {
            if (!storage.pods().isEmpty()) {
                return result(Phase.STOPPING_PODS, "storage pods end; everything they had is on their volumes");
            }
            ClusterPlan all = plan.with(plan.superPeers().sleeping(true), plan.storage());
            return superPeers.pods().isEmpty()
                    ? new Result(all, null, List.of(), Phase.ASLEEP, "all pods are gone, the volumes have everything")
                    : new Result(all, null, List.of(), Phase.STOPPING_PODS, "super-peers end");
        }
        Phase phase = before == Phase.WRITING_MEMORY ? Phase.WRITING_MEMORY : Phase.REFUSING_CHANGES;
        if (view == null) {
            return result(phase, "no super-peer answers");
        }
        if (allAreParked(view)) {
            ClusterPlan none = plan.with(plan.superPeers(), plan.storage().sleeping(true));
            return new Result(none, null, List.of(), Phase.STOPPING_PODS, "every storage peer is parked; the pods go");
        }
        SleepStep step = phase == Phase.WRITING_MEMORY ? SleepStep.PARK : SleepStep.REFUSE_CHANGES;
        return new Result(plan, step, List.of(), phase, "storage peers are asked");
    }

    /** Whether all storage peers are committed as parked, in a view to which all arcs have reported. */
    private boolean allAreParked(ClusterView seen) {
        if (!seen.ring().isSettled()) {
            return false;
        }
        for (int ordinal = 0; ordinal < plan.storage().replicas(); ordinal++) {
            StoragePeer peer = seen.storagePeer(podName(ordinal)).orElse(null);
            if (peer == null || !(peer.parked() || peer.isReplaced())) {
                return false;
            }
        }
        return true;
    }

    private Result wake() {
        if (plan.superPeers().asleep()) {
            ClusterPlan awake = plan.with(plan.superPeers().sleeping(false), plan.storage());
            return new Result(awake, null, List.of(), Phase.WAKING, "super-peers start");
        }
        if (view == null || !view.ring().complete() || !view.ring().isServed()) {
            return result(Phase.WAKING, "every arc of the ring must be answered for before storage peers start");
        }
        if (plan.storage().asleep()) {
            ClusterPlan awake = plan.with(plan.superPeers(), plan.storage().sleeping(false));
            return new Result(awake, null, List.of(), Phase.WAKING, "storage peers start and load what they had");
        }
        List<Action> actions = before == Phase.WAKING ? List.of() : parkedProcesses(view);
        return new Result(plan, SleepStep.WORK, actions, Phase.WAKING, "storage peers load what they had");
    }

    /**
     * Returns the restarts of parked processes after a hibernation was cancelled halfway. A parked process serves no
     * more; its successor resumes.
     */
    private List<Action> parkedProcesses(ClusterView seen) {
        List<Action> actions = new ArrayList<>();
        storage.pods().stream()
                .filter(pod -> !pod.terminating()
                        && seen.storagePeer(pod.name()).map(StoragePeer::parked).orElse(false))
                .forEach(pod -> actions.add(new Action.ReplacePod(pod.name(), pod.uid())));
        return actions;
    }

    private String podName(int ordinal) {
        return Names.role(plan.name(), Names.STORAGE) + "-" + ordinal;
    }

    private Result result(Phase phase, String message) {
        return new Result(plan, null, List.of(), phase, message);
    }
}
