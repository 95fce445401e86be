package dev.granary.operator.reconcile;

import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.Sizes;
import dev.granary.operator.status.Happening;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Grows the volumes of a role to the size that the spec asks for. A StatefulSet's volume template cannot change, so
 * this changes the claims one by one. Volumes of new pods start with the old size and grow in the next round. Volumes
 * never shrink.
 */
final class VolumeGrower {
    private final KubernetesClient client;

    VolumeGrower(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Grows the volumes that are too small, and returns what happened. A refusal, for example by a storage class
     * without expansion, becomes a warning.
     */
    List<Happening> grow(ClusterPlan plan, String component, ClusterPlan.Role role) {
        if (!concerns(role)) {
            return List.of();
        }
        long wanted = Sizes.bytes("volume.size", new Quantity(role.volumeSize()));
        List<Happening> happenings = new ArrayList<>();
        for (PersistentVolumeClaim claim : client.persistentVolumeClaims()
                .inNamespace(plan.namespace())
                .withLabels(Names.selector(plan.name(), component))
                .list()
                .getItems()) {
            Quantity size = claim.getSpec().getResources().getRequests().get("storage");
            if (size != null && Sizes.bytes("storage", size) < wanted) {
                happenings.add(grow(claim, role.volumeSize()));
            }
        }
        return happenings;
    }

    /** Whether there may be a volume to grow. */
    static boolean concerns(ClusterPlan.Role role) {
        return !role.volumeSize().equals(role.volumeTemplateSize());
    }

    private Happening grow(PersistentVolumeClaim claim, String size) {
        String name = claim.getMetadata().getName();
        try {
            client.resource(claim).edit(old -> new PersistentVolumeClaimBuilder(old)
                    .editSpec()
                    .editResources()
                    .withRequests(Map.of("storage", new Quantity(size)))
                    .endResources()
                    .endSpec()
                    .build());
            return new Happening(false, "VolumeGrown", "asked for " + size + " for volume " + name);
        } catch (KubernetesClientException e) {
            return new Happening(
                    true, "VolumeNotGrown", "volume " + name + " cannot grow to " + size + ": " + e.getMessage());
        }
    }
}
