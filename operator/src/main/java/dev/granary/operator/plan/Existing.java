package dev.granary.operator.plan;

import org.jspecify.annotations.Nullable;

/**
 * What exists of a cluster and binds the next plan.
 *
 * @param superPeers what exists of the super-peers
 * @param storage what exists of the storage peers
 * @param autoscaled storage peers that the autoscaler asked for last, {@code null} when it has not
 * @param devices what is known of RDMA devices
 * @param clusterId the recorded cluster id, {@code null} until a super-peer reported one
 */
public record Existing(
        Role superPeers,
        Role storage,
        @Nullable Integer autoscaled,
        Devices devices,
        @Nullable String clusterId) {
    /** Nothing yet. */
    public static final Existing NOTHING = new Existing(Role.NOTHING, Role.NOTHING, null, Devices.UNKNOWN, null);

    /**
     * What exists of a role.
     *
     * @param replicas pods that there are to be until something else is decided, {@code null} before there are any: the
     *     larger one of what the StatefulSet says and what was recorded,
     *     since somebody may have changed the StatefulSet
     * @param volume size in the volume template, which cannot change; {@code null} before there is one
     * @param history its pod templates
     * @param asleep whether its pods have gone to sleep; {@code replicas} are those to come back to
     */
    public record Role(@Nullable Integer replicas, @Nullable String volume, TemplateHistory history, boolean asleep) {
        /** Makes a role that is not hibernated. */
        public Role(@Nullable Integer replicas, @Nullable String volume, TemplateHistory history) {
            this(replicas, volume, history, false);
        }

        /** Nothing yet. */
        public static final Role NOTHING = new Role(null, null, TemplateHistory.NONE);
    }

    /**
     * What is known of RDMA devices; looked up only where a resource leaves it to the nodes.
     *
     * @param available devices of the nodes that may have storage pods, {@code null} when that is not known
     * @param granted whether the storage pods ask for them
     * @param missing whether a storage pod finds no node
     */
    public record Devices(@Nullable Long available, boolean granted, boolean missing) {
        /** Nothing is known. */
        public static final Devices UNKNOWN = new Devices(null, false, false);
    }
}
