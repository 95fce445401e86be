package dev.granary.operator.plan;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything the builders need to know of one cluster, every default decided.
 *
 * @param namespace where everything lies
 * @param name the resource's name; objects are named after it ({@link Names})
 * @param uid the resource's uid, for owner references
 * @param image image of both roles
 * @param imagePullPolicy its pull policy
 * @param imagePullSecrets names of its pull secrets
 * @param superPeers the super-peers
 * @param storage the storage peers
 * @param rdma the RDMA device of a storage peer, {@code null} when not asked for
 * @param clusterId recorded cluster id; while it is {@code null} the first super-peer may make a cluster
 */
public record ClusterPlan(
        String namespace,
        String name,
        String uid,
        String image,
        String imagePullPolicy,
        List<String> imagePullSecrets,
        Role superPeers,
        Role storage,
        @Nullable Rdma rdma,
        @Nullable String clusterId) {

    /** Whether the first super-peer may make a new cluster on an empty disk. */
    public boolean bootstrap() {
        return clusterId == null;
    }

    /**
     * One of the two roles.
     *
     * @param replicas pods to run
     * @param wantedReplicas pods that the spec asks for; different where this version cannot follow
     * @param memory the memory plan of each pod
     * @param cpu CPU request of each pod
     * @param volumeSize size that each volume should have
     * @param volumeTemplateSize size in the StatefulSet's volume template, which is fixed when the StatefulSet is made
     * @param storageClassName class of the volumes, {@code null} for the default
     */
    public record Role(
            int replicas,
            int wantedReplicas,
            MemoryPlan memory,
            String cpu,
            String volumeSize,
            String volumeTemplateSize,
            @Nullable String storageClassName) {}

    /**
     * An RDMA device.
     *
     * @param resourceName extended resource
     * @param count devices a pod
     * @param nodeSelector labels of nodes that have it
     */
    public record Rdma(String resourceName, int count, Map<String, String> nodeSelector) {}
}
