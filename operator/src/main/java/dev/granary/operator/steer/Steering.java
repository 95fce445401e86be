package dev.granary.operator.steer;

import dev.granary.operator.build.TemplateInputs;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.PodView;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.TemplateHistory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides the next steps of a rollout of a whole cluster. Super-peers take a new template first, then storage peers. A
 * new template with which a pod does not become ready is rolled back (ADR 0112).
 */
public final class Steering {
    /** The longest wait for a pod whose problem does not pass by itself, also when the deadline is later. */
    private static final int HOPELESS_SECONDS = 20;

    private Steering() {}

    /**
     * A decision.
     *
     * @param plan the wanted plan, with the present numbers of pods and templates
     * @param actions the actions to take once the plan is applied
     * @param stops pods that go or are replaced
     */
    public record Result(ClusterPlan plan, List<Action> actions, List<Stop> stops) {}

    /** Returns the decision. */
    public static Result decide(ClusterPlan given, PodsView superPeers, PodsView storage, Answer answer, Instant now) {
        ClusterPlan asked = SecretSteering.decide(given, superPeers, storage, now);
        ClusterView view = answer instanceof Answer.Seen(ClusterView seen) ? seen : null;
        ClusterPlan.Role ring = judged(asked, asked.superPeers(), superPeers, now);
        ClusterPlan.Role peers = judged(asked, asked.storage(), storage, now);
        boolean paused = asked.update().paused();
        Decision forRing = RingSteering.decide(
                new RingSteering.Wish(
                        asked.name(),
                        ring.wantedReplicas(),
                        ring.replicas(),
                        !paused,
                        asked.update().canarySeconds()),
                superPeers,
                view,
                now);
        boolean ringIsDone = isDone(asked, ring, Names.SUPER_PEER, superPeers, now);
        Decision forStorage = StorageSteering.decide(
                new StorageSteering.Wish(
                        asked.name(),
                        peers.wantedReplicas(),
                        peers.replicas(),
                        !paused
                                && ((ringIsDone && rests(forRing, view))
                                        || peers.history().isRolledBack()),
                        asked.update().canarySeconds(),
                        asked.update().deadlineSeconds()),
                storage,
                view,
                now);
        List<Action> actions = new ArrayList<>(forRing.actions());
        actions.addAll(forStorage.actions());
        List<Stop> stops = new ArrayList<>(forRing.stops());
        stops.addAll(forStorage.stops());
        ClusterPlan plan = asked.with(
                ring.withReplicas(forRing.replicas()),
                peers.withReplicas(forStorage.replicas()).keepingTemplate(!ringIsDone));
        return new Result(plan, List.copyOf(actions), List.copyOf(stops));
    }

    /**
     * Whether no super-peer joins or leaves. Otherwise the leaders of arcs would change while storage peers hand over
     * their chunks.
     */
    private static boolean rests(Decision ring, @Nullable ClusterView view) {
        return ring.stops().isEmpty()
                && ring.actions().stream().noneMatch(Action.ResizeRing.class::isInstance)
                && view != null
                && !view.ring().isChanging();
    }

    /** Whether a role has the template that is asked for, and all of its pods run it and are well. */
    static boolean isDone(ClusterPlan plan, ClusterPlan.Role role, String component, PodsView pods, Instant now) {
        TemplateHistory.Rendered rendered = role.history().rendered();
        return rendered != null
                && rendered.inputs().equals(TemplateInputs.of(plan, role, component))
                && pods.revisionKnown()
                && areAllWell(pods, role.replicas(), now);
    }

    /** Returns the role with its present template noted as good, or as failed, or unchanged while neither is known. */
    private static ClusterPlan.Role judged(ClusterPlan plan, ClusterPlan.Role role, PodsView pods, Instant now) {
        TemplateHistory history = role.history();
        if (!pods.revisionKnown() || pods.pods().isEmpty()) {
            return role;
        }
        if (areAllWell(pods, role.replicas(), now)) {
            return role.withHistory(history.succeeded());
        }
        boolean failed = history.canGoBack()
                && pods.pods().stream()
                        .anyMatch(pod -> hasFailed(pod, plan.update().deadlineSeconds(), now));
        return failed ? role.withHistory(history.failed(plan.update().retry())) : role;
    }

    /**
     * Whether {@code replicas} pods run the newest template and have been ready for {@link
     * StorageSteering#SETTLE_SECONDS}. A pod that is terminating may still be ready, but does not count.
     */
    private static boolean areAllWell(PodsView pods, int replicas, Instant now) {
        long well = pods.pods().stream()
                .filter(pod -> pod.ordinal() < replicas)
                .filter(pod ->
                        !pod.terminating() && !pod.outdated() && pod.readyFor(StorageSteering.SETTLE_SECONDS, now))
                .count();
        return well >= replicas && pods.outdated().isEmpty();
    }

    private static boolean hasFailed(PodView pod, int deadlineSeconds, Instant now) {
        Instant since = pod.unreadySince();
        // When a pod that was ready is not ready for a moment, that is no evidence against its template.
        if (pod.outdated() || pod.terminating() || since == null) {
            return false;
        }
        PodView.Problem problem = pod.problem();
        boolean hopeless = problem != null && !problem.mayPass();
        int seconds = hopeless ? Math.min(HOPELESS_SECONDS, deadlineSeconds) : deadlineSeconds;
        return since.plusSeconds(seconds).isBefore(now);
    }
}
