package dev.granary.operator.plan;

import org.jspecify.annotations.Nullable;

/**
 * What exists of a cluster and binds the next plan.
 *
 * @param superPeers what exists of the super-peers
 * @param storage what exists of the storage peers
 * @param autoscaled storage peers that the autoscaler asked for last, {@code null} when it has not
 * @param clusterId the recorded cluster id, {@code null} until a super-peer reported one
 */
public record Existing(
        Role superPeers,
        Role storage,
        @Nullable Integer autoscaled,
        @Nullable String clusterId) {
    /** Nothing yet. */
    public static final Existing NOTHING = new Existing(Role.NOTHING, Role.NOTHING, null, null);

    /**
     * What exists of a role.
     *
     * @param replicas pods that there are to be until something else is decided, {@code null} before there are any: the larger one of what
     *     the StatefulSet says and what was recorded, since somebody may have changed the StatefulSet
     * @param volume size in the volume template, which cannot change; {@code null} before there is one
     * @param history its pod templates
     */
    public record Role(@Nullable Integer replicas, @Nullable String volume, TemplateHistory history) {
        /** Nothing yet. */
        public static final Role NOTHING = new Role(null, null, TemplateHistory.NONE);
    }
}
