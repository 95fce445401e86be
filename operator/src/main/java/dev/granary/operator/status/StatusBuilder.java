package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.api.GranaryStatus.ChunksStatus;
import dev.granary.operator.api.GranaryStatus.EndpointsStatus;
import dev.granary.operator.api.GranaryStatus.MemoryPlanStatus;
import dev.granary.operator.api.GranaryStatus.RingStatus;
import dev.granary.operator.api.GranaryStatus.StorageStatus;
import dev.granary.operator.api.GranaryStatus.SummaryStatus;
import dev.granary.operator.api.GranaryStatus.SuperPeersStatus;
import dev.granary.operator.api.GranaryStatus.UnusedVolumeStatus;
import dev.granary.operator.api.GranaryStatus.UnusedVolumesStatus;
import dev.granary.operator.observe.ClusterObserver.Answer;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.UnusedVolumes;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.MemoryPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Sizes;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the status of a resource.
 *
 * <p>Invariants: (1) a recorded cluster id is never changed or dropped; (2) a condition's transition time changes only
 * with its status; (3) without an answer of a super-peer the last known ring and chunks stay, and the conditions say
 * so; (4) the observed generation is that of a spec whose objects were all applied.
 */
public final class StatusBuilder {
    /** Conditions with the status in which they are worth telling. */
    private static final String[][] MOST_IMPORTANT_FIRST = {
        {Conditions.PAUSED, "True"},
        {Conditions.DEGRADED, "True"},
        {Kstatus.STALLED, "True"},
        {Conditions.READY, "False"},
        {Conditions.PROGRESSING, "True"},
        {Conditions.MEMORY_PRESSURE, "True"},
        {"Replicated", "False"}
    };

    private static final String PAUSED_MESSAGE =
            "spec.paused is true: the operator changes nothing, and what the status says besides may be old";

    private static final GranaryStatus NOTHING = new GranaryStatus(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    private StatusBuilder() {}

    /**
     * Returns the status of a cluster.
     *
     * @param previous the status until now, {@code null} for none
     * @param generation generation of the spec from which the plan was made
     * @param now transition time of the conditions that change
     */
    public static GranaryStatus of(
            ClusterPlan plan, Observation seen, @Nullable GranaryStatus previous, long generation, Instant now) {
        ClusterView view = seen.cluster() instanceof Answer.Seen(ClusterView answer) ? answer : null;
        RingStatus ring = view != null
                ? new RingStatus(
                        view.ring().size(),
                        view.ring().expectedSize(),
                        view.ring().recommendedSize(),
                        view.ring().complete(),
                        view.ring().epoch())
                : previous != null ? previous.ring() : null;
        Counts counts = Counts.of(plan, view, seen, previous, now);
        ChunksStatus chunks = counts.chunks();
        int live = view != null ? view.totals().livePeers() : 0;
        String clusterId = plan.clusterId() != null ? plan.clusterId() : view != null ? view.clusterId() : null;
        List<Condition> conditions =
                conditions(counts.keepMessages(new Conditions(plan, seen, previous).all()), previous, generation, now);
        String version = view != null ? view.version() : previous != null ? previous.version() : null;
        return new GranaryStatus(
                generation,
                conditions,
                clusterId,
                version,
                plan.image(),
                endpoints(plan, seen.addresses(), previous == null ? null : previous.endpoints()),
                new SuperPeersStatus(
                        plan.superPeers().replicas(),
                        seen.superPeers().ready(),
                        plan.superPeers().wantedReplicas(),
                        orNull(seen.superPeers().outdated())),
                new StorageStatus(
                        seen.storage().existing(),
                        plan.storage().replicas(),
                        live,
                        counts.autoscaler(),
                        selector(plan),
                        memory(plan.storage().memory()),
                        orNull(seen.storage().outdated())),
                ring,
                chunks,
                Stops.of(seen, view, previous, now),
                seen.hibernation(),
                seen.tls(),
                SecretPhases.status(plan, seen),
                unused(seen.unused()),
                summary(plan, seen, live, chunks, message(conditions)));
    }

    /**
     * Returns the status of a resource that cannot be reconciled. It keeps what was known, and the generation that was
     * applied last: a spec that is not applied must not look applied.
     *
     * @param generation generation of the spec that could not be applied
     */
    public static GranaryStatus failed(
            @Nullable GranaryStatus previous, Failure failure, long generation, Instant now) {
        String reason = failure.reason();
        String message = failure.message();
        List<Verdict> verdicts = new ArrayList<>();
        verdicts.add(Verdict.yes(Conditions.DEGRADED, reason, message));
        if (previous == null || !isTrue(previous, Conditions.READY)) {
            verdicts.add(Verdict.no(Conditions.READY, reason, message));
        }
        verdicts.add(Verdict.no(Conditions.PROGRESSING, reason, message));
        verdicts.addAll(Kstatus.of(failure));
        List<Condition> conditions = conditions(verdicts, previous, generation, now);
        return withConditions(previous == null ? NOTHING : previous, conditions);
    }

    /**
     * Returns the status of a resource that asks the operator to stop. It keeps what was known; the condition Paused
     * says that it may be old. Nor does the newest spec look applied: the observed generation stays.
     */
    public static GranaryStatus paused(@Nullable GranaryStatus previous, long generation, Instant now) {
        Failure stop = new Failure(Kstatus.SPEC_PAUSED, PAUSED_MESSAGE, true);
        List<Verdict> verdicts = new ArrayList<>();
        verdicts.add(Verdict.yes(Conditions.PAUSED, stop.reason(), stop.message()));
        verdicts.addAll(Kstatus.of(stop));
        List<Condition> conditions = conditions(verdicts, previous, generation, now);
        return withConditions(previous == null ? NOTHING : previous, conditions);
    }

    /** Whether a status says already that the operator has stopped, for this generation of the spec. */
    public static boolean isPaused(@Nullable GranaryStatus status, Long generation) {
        Condition paused = find(status, Conditions.PAUSED);
        return paused != null && "True".equals(paused.getStatus()) && generation.equals(paused.getObservedGeneration());
    }

    /**
     * Returns a status with these conditions, and those of its others that are none of their types. That the operator
     * had stopped is no longer so when it says something else.
     */
    private static GranaryStatus withConditions(GranaryStatus previous, List<Condition> conditions) {
        List<Condition> all = new ArrayList<>(conditions);
        if (previous.conditions() != null) {
            previous.conditions().stream()
                    .filter(old ->
                            conditions.stream().noneMatch(c -> c.getType().equals(old.getType())))
                    .filter(old -> !old.getType().equals(Conditions.PAUSED))
                    .forEach(all::add);
        }
        return new GranaryStatus(
                previous.observedGeneration(),
                all,
                previous.clusterId(),
                previous.version(),
                previous.image(),
                previous.endpoints(),
                previous.superPeers(),
                previous.storagePeers(),
                previous.ring(),
                previous.chunks(),
                previous.stops(),
                previous.hibernation(),
                previous.tls(),
                previous.secret(),
                previous.unusedVolumes(),
                previous.summary() == null
                        ? null
                        : new SummaryStatus(
                                previous.summary().peers(),
                                previous.summary().superPeers(),
                                previous.summary().memory(),
                                message(all)));
    }

    /** Returns the endpoints. Without a Service its last known address stays, for when it is made anew. */
    private static EndpointsStatus endpoints(
            ClusterPlan plan, Observation.Addresses seen, @Nullable EndpointsStatus previous) {
        String client = seen.client() == null && previous != null ? previous.clientAddress() : seen.client();
        String door = seen.redis() == null && previous != null ? previous.redisAddress() : seen.redis();
        String host = Names.clientService(plan.name()) + "." + plan.namespace() + ".svc";
        String redis = Names.redisService(plan.name()) + "." + plan.namespace() + ".svc:" + Names.REDIS_PORT;
        return new EndpointsStatus(
                host + ":" + Names.SUPER_PEER_PORT,
                "http://" + host + ":" + Names.SUPER_PEER_HTTP_PORT,
                plan.redis() == null ? null : redis,
                client,
                plan.redis() == null ? null : door);
    }

    /** Returns the words of the most important condition: what is wrong, else what goes on. */
    private static String message(List<Condition> conditions) {
        for (String[] bad : MOST_IMPORTANT_FIRST) {
            for (Condition condition : conditions) {
                if (condition.getType().equals(bad[0]) && condition.getStatus().equals(bad[1])) {
                    return condition.getMessage();
                }
            }
        }
        return "all is well";
    }

    /** Whether a status says that there is nothing to do but to wait for volumes. */
    public static boolean isGrowingVolumes(GranaryStatus status) {
        Condition progressing = find(status, Conditions.PROGRESSING);
        return progressing != null && Conditions.GROWING_VOLUMES.equals(progressing.getReason());
    }

    static boolean isTrue(GranaryStatus status, String type) {
        Condition condition = find(status, type);
        return condition != null && "True".equals(condition.getStatus());
    }

    static @Nullable Condition find(@Nullable GranaryStatus status, String type) {
        if (status == null || status.conditions() == null) {
            return null;
        }
        return status.conditions().stream()
                .filter(condition -> type.equals(condition.getType()))
                .findFirst()
                .orElse(null);
    }

    private static List<Condition> conditions(
            List<Verdict> verdicts, @Nullable GranaryStatus previous, long generation, Instant now) {
        List<Condition> conditions = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            Condition old = find(previous, verdict.type());
            String since = old != null && verdict.status().equals(old.getStatus())
                    ? old.getLastTransitionTime()
                    : now.truncatedTo(ChronoUnit.SECONDS).toString();
            conditions.add(new ConditionBuilder()
                    .withType(verdict.type())
                    .withStatus(verdict.status())
                    .withReason(verdict.reason())
                    .withMessage(verdict.message())
                    .withObservedGeneration(generation)
                    .withLastTransitionTime(since)
                    .build());
        }
        return conditions;
    }

    private static MemoryPlanStatus memory(MemoryPlan plan) {
        return new MemoryPlanStatus(
                Sizes.quantity(plan.limitBytes()),
                Sizes.quantity(plan.heapBytes()),
                Sizes.quantity(plan.directBytes()),
                Sizes.quantity(plan.jvmBytes()),
                Sizes.quantity(plan.chunkBytes()));
    }

    private static SummaryStatus summary(
            ClusterPlan plan, Observation seen, int live, @Nullable ChunksStatus chunks, String message) {
        return new SummaryStatus(
                live + "/" + plan.storage().replicas(),
                seen.superPeers().ready() + "/" + plan.superPeers().replicas(),
                chunks == null ? "-" : Sizes.text(chunks.usedBytes()) + "/" + Sizes.text(chunks.capacityBytes()),
                message);
    }

    private static @Nullable UnusedVolumesStatus unused(UnusedVolumes unused) {
        List<UnusedVolumeStatus> named = unused.volumes().stream()
                .limit(UnusedVolumesStatus.MOST)
                .map(volume -> new UnusedVolumeStatus(volume.claim(), volume.size()))
                .toList();
        return named.isEmpty() ? null : new UnusedVolumesStatus(unused.volumes().size(), named);
    }

    private static String selector(ClusterPlan plan) {
        return Names.selector(plan.name(), Names.STORAGE).entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
    }

    private static @Nullable List<String> orNull(List<String> list) {
        return list.isEmpty() ? null : list;
    }
}
