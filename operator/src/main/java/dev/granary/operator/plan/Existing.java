package dev.granary.operator.plan;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import org.jspecify.annotations.Nullable;

/**
 * The existing parts of a cluster, which bind the next plan.
 *
 * @param superPeers what exists of the super-peers
 * @param storage what exists of the storage peers
 * @param autoscaled number of storage peers that the autoscaler asked for last, {@code null} for none
 * @param devices what is known of RDMA devices
 * @param clusterId the recorded cluster id, {@code null} until a super-peer reported one
 * @param withoutSecret whether it runs without a secret; its nodes would refuse each other if it got one midway
 * @param secret what was recorded of changes of the secret ({@link SecretPlan#toRecord}), {@code null} for nothing
 * @param withoutPorts whether its pods have one port for everything; those with more would not reach them
 * @param tls whether its pods have TLS, {@code null} when there are none; pods with and without refuse each other
 */
public record Existing(
        Role superPeers,
        Role storage,
        @Nullable Integer autoscaled,
        Devices devices,
        @Nullable String clusterId,
        boolean withoutSecret,
        @Nullable String secret,
        boolean withoutPorts,
        @Nullable Boolean tls) {
    /**
     * Parts of a cluster with a secret and with ports of their own for nodes and administrators. Its pods may have TLS
     * or not.
     */
    public Existing(
            Role superPeers, Role storage, @Nullable Integer autoscaled, Devices devices, @Nullable String clusterId) {
        this(superPeers, storage, autoscaled, devices, clusterId, false, null, false, null);
    }

    /** A cluster of which nothing exists yet. */
    public static final Existing NOTHING = new Existing(Role.NOTHING, Role.NOTHING, null, Devices.UNKNOWN, null);

    /**
     * What exists of a role.
     *
     * @param replicas number of pods until something else is decided, {@code null} before there are any: the larger one
     *     of the StatefulSet's number and the recorded one, because somebody may have changed the StatefulSet
     * @param volume size in the volume template, which cannot change; {@code null} before there is one
     * @param history its pod templates
     * @param asleep whether its pods are gone for a hibernation; {@code replicas} is then the number for the resumption
     * @param claim its whole volume template, {@code null} before there is one
     */
    public record Role(
            @Nullable Integer replicas,
            @Nullable String volume,
            TemplateHistory history,
            boolean asleep,
            @Nullable PersistentVolumeClaim claim) {
        /** Makes a role that is not hibernated. */
        public Role(@Nullable Integer replicas, @Nullable String volume, TemplateHistory history) {
            this(replicas, volume, history, false, null);
        }

        /** A role of which nothing exists yet. */
        public static final Role NOTHING = new Role(null, null, TemplateHistory.NONE);
    }

    /**
     * What is known of RDMA devices. The operator looks it up only where a resource leaves RDMA to the Kubernetes
     * nodes.
     *
     * @param available devices of the Kubernetes nodes that may have storage pods, {@code null} when the number is not
     *     known
     * @param granted whether the storage pods ask for devices
     * @param missing whether a storage pod finds no Kubernetes node
     */
    public record Devices(@Nullable Long available, boolean granted, boolean missing) {
        /** Nothing is known. */
        public static final Devices UNKNOWN = new Devices(null, false, false);
    }
}
