package dev.granary.operator.reconcile;

import dev.granary.operator.observe.VolumesView;
import dev.granary.operator.observe.VolumesView.State;
import dev.granary.operator.observe.VolumesView.Volume;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.status.Happening;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grows the volumes of a role to the size that the spec asks for. A StatefulSet's volume template cannot change, so
 * this changes the claims one by one. Volumes of new pods start with the old size and grow once they are bound. Volumes
 * never shrink. Thread-safe.
 */
final class VolumeGrower {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeGrower.class);
    private static final Duration FIRST_WAIT = Duration.ofMinutes(1);
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    private final KubernetesClient client;
    private final Map<String, Try> tries = new ConcurrentHashMap<>();

    /**
     * The last try to grow a volume.
     *
     * @param refusal why the API server has refused it, {@code null} when it has not
     * @param pause how long no other try is made
     */
    private record Try(String size, Instant at, @Nullable String refusal, Duration pause) {
        boolean isRecent(Instant now) {
            return now.isBefore(at.plus(pause));
        }
    }

    VolumeGrower(KubernetesClient client) {
        this.client = client;
    }

    /** Whether volumes of the cluster were to grow since it was made. */
    static boolean concerns(ClusterPlan plan) {
        return concerns(plan.superPeers()) || concerns(plan.storage());
    }

    private static boolean concerns(ClusterPlan.Role role) {
        return !role.volumeSize().equals(role.volumeTemplateSize());
    }

    /**
     * Returns the volumes of a cluster that may have to grow.
     *
     * @param claims all claims of the cluster
     */
    VolumesView view(ClusterPlan plan, Collection<PersistentVolumeClaim> claims) {
        return view(plan.superPeers(), Names.SUPER_PEER, claims).and(view(plan.storage(), Names.STORAGE, claims));
    }

    private VolumesView view(ClusterPlan.Role role, String component, Collection<PersistentVolumeClaim> claims) {
        if (!concerns(role)) {
            return VolumesView.NONE;
        }
        Map<String, String> refusals = new TreeMap<>();
        tries.forEach((uid, last) -> {
            if (last.refusal() != null && last.size().equals(role.volumeSize())) {
                refusals.put(uid, last.refusal());
            }
        });
        List<PersistentVolumeClaim> ofRole = claims.stream()
                .filter(claim ->
                        component.equals(claim.getMetadata().getLabels().get(Names.COMPONENT_LABEL)))
                .toList();
        return VolumesView.of(ofRole, role.volumeSize(), refusals);
    }

    /** Returns the volumes to grow now. One that was refused rests for a while, and longer each time. */
    List<Volume> due(VolumesView view, Instant now) {
        return view.in(State.TO_GROW, State.REFUSED).stream()
                .filter(volume -> {
                    Try last = tries.get(volume.uid());
                    return last == null || !last.size().equals(volume.wanted()) || !last.isRecent(now);
                })
                .toList();
    }

    /**
     * Grows the volumes that are too small, and returns what happened. A refusal, for example by a storage class
     * without expansion, is in the next view.
     */
    List<Happening> grow(String namespace, VolumesView view, Instant now) {
        // Forgets the volumes of clusters that have ended.
        tries.values().removeIf(last -> !now.isBefore(last.at().plus(LONGEST_WAIT.multipliedBy(2))));
        List<Happening> happenings = new ArrayList<>();
        for (Volume volume : due(view, now)) {
            try {
                ask(namespace, volume);
                tries.put(volume.uid(), new Try(volume.wanted(), now, null, FIRST_WAIT));
                happenings.add(new Happening(
                        false, "VolumeGrown", "asked for " + volume.wanted() + " for volume " + volume.claim()));
            } catch (KubernetesClientException e) {
                if (ApiErrors.isRefusal(e)) {
                    tries.compute(volume.uid(), (_, last) -> refused(volume, last, e, now));
                } else if (!ApiErrors.isGone(e)) {
                    throw e;
                }
                LOG.atInfo()
                        .addKeyValue("namespace", namespace)
                        .addKeyValue("claim", volume.claim())
                        .log("a volume does not grow: {}", e.getMessage());
            }
        }
        return happenings;
    }

    private static Try refused(Volume volume, @Nullable Try last, KubernetesClientException error, Instant now) {
        boolean again = last != null && last.refusal() != null && last.size().equals(volume.wanted());
        Duration pause = again && last != null ? last.pause().multipliedBy(2) : FIRST_WAIT;
        return new Try(
                volume.wanted(),
                now,
                ApiErrors.message(error),
                pause.compareTo(LONGEST_WAIT) < 0 ? pause : LONGEST_WAIT);
    }

    private void ask(String namespace, Volume volume) {
        client.persistentVolumeClaims()
                .inNamespace(namespace)
                .withName(volume.claim())
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        Serialization.asJson(Map.of(
                                "metadata",
                                Map.of("uid", volume.uid()),
                                "spec",
                                Map.of("resources", Map.of("requests", Map.of("storage", volume.wanted()))))));
    }
}
