package dev.granary.operator.build;

import dev.granary.operator.api.VolumeRetentionSpec;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.SecretPlan;
import dev.granary.operator.plan.TemplateHistory;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.Map;

/**
 * The two StatefulSets of a cluster. Pods start in parallel. Only the operator replaces them, once they own nothing
 * (ADR 0110). The resource says what becomes of volumes that no pod needs any more.
 */
public final class StatefulSets {
    private StatefulSets() {}

    /** The super-peers. */
    public static StatefulSet superPeers(ClusterPlan plan) {
        Pods.Kind kind = new Pods.Kind(
                Names.SUPER_PEER,
                "/opt/granary/bin/super-peer",
                Configuration.superPeerFile("$(POD_NAME)"),
                Names.SUPER_PEER_PORT,
                Names.SUPER_PEER_HTTP_PORT,
                null);
        StatefulSet set = of(plan, plan.superPeers(), kind);
        if (plan.clusterId() != null) {
            set.getMetadata().getAnnotations().put(Names.CLUSTER_ID_ANNOTATION, plan.clusterId());
        }
        return set;
    }

    /** The storage peers. */
    public static StatefulSet storage(ClusterPlan plan) {
        Pods.Kind kind = new Pods.Kind(
                Names.STORAGE,
                "/opt/granary/bin/storage-node",
                Configuration.STORAGE_FILE,
                Names.STORAGE_PORT,
                Names.STORAGE_HTTP_PORT,
                plan.rdma() != null && plan.rdma().granted() ? plan.rdma() : null);
        return of(plan, plan.storage(), kind);
    }

    private static StatefulSet of(ClusterPlan plan, ClusterPlan.Role role, Pods.Kind kind) {
        ObjectMeta meta = Meta.ofRole(plan, kind.component());
        String inputs = TemplateInputs.of(plan, role, kind.component());
        TemplateHistory history = role.holdsTemplate()
                ? role.history()
                : role.history().wanting(inputs, plan.update().retry(), Pods.template(plan, role, kind));
        meta.setAnnotations(history.toAnnotations());
        SecretPlan secret = plan.secret();
        if (secret != null && !secret.isInitial()) {
            meta.getAnnotations().put(Names.SECRET_ANNOTATION, secret.toRecord());
        }
        if (role.asleep()) {
            meta.getAnnotations().put(Names.ASLEEP_ANNOTATION, Integer.toString(role.replicas()));
        }
        return new StatefulSetBuilder()
                .withMetadata(meta)
                .withNewSpec()
                .withServiceName(meta.getName())
                .withReplicas(role.asleep() ? 0 : role.replicas())
                .withPodManagementPolicy("Parallel")
                .withNewUpdateStrategy()
                .withType("OnDelete")
                .endUpdateStrategy()
                .withNewPersistentVolumeClaimRetentionPolicy()
                .withWhenDeleted(plan.retention().whenDeleted())
                .withWhenScaled(whenScaled(plan, role, kind))
                .endPersistentVolumeClaimRetentionPolicy()
                .withNewSelector()
                .withMatchLabels(Names.selector(plan.name(), kind.component()))
                .endSelector()
                .withTemplate(history.template())
                .withVolumeClaimTemplates(claim(plan, role, kind.component()))
                .endSpec()
                .build();
    }

    /**
     * Returns what becomes of the volume of a pod that was scaled in. A hibernation scales to 0 and must keep all; a
     * super-peer may come back as the member that it was.
     */
    private static String whenScaled(ClusterPlan plan, ClusterPlan.Role role, Pods.Kind kind) {
        boolean kept = role.asleep() || kind.component().equals(Names.SUPER_PEER);
        return kept ? VolumeRetentionSpec.RETAIN : plan.retention().whenScaled();
    }

    /**
     * The volume template. The API server refuses every change of it, so one that exists stays as any version of the
     * operator has rendered it.
     */
    private static PersistentVolumeClaim claim(ClusterPlan plan, ClusterPlan.Role role, String component) {
        if (role.claim() != null) {
            return role.claim();
        }
        return new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(Pods.DATA_VOLUME)
                .withLabels(Names.labels(plan.name(), component))
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withStorageClassName(role.storageClassName())
                .withNewResources()
                .withRequests(Map.of("storage", new Quantity(role.volumeTemplateSize())))
                .endResources()
                .endSpec()
                .build();
    }
}
