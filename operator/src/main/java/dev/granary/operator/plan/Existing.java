package dev.granary.operator.plan;

import org.jspecify.annotations.Nullable;

/**
 * What exists of a cluster and binds the next plan.
 *
 * @param superPeers replicas of the StatefulSet of super-peers, {@code null} before there is one
 * @param storagePeers replicas of the StatefulSet of storage peers, {@code null} before there is one
 * @param superPeerVolume size in the volume template of the super-peers, which cannot change; {@code null} before there is one
 * @param storageVolume size in the volume template of the storage peers, which cannot change; {@code null} before there is one
 * @param clusterId the recorded cluster id, {@code null} until a super-peer reported one
 */
public record Existing(
        @Nullable Integer superPeers,
        @Nullable Integer storagePeers,
        @Nullable String superPeerVolume,
        @Nullable String storageVolume,
        @Nullable String clusterId) {
    /** Nothing yet. */
    public static final Existing NOTHING = new Existing(null, null, null, null, null);
}
