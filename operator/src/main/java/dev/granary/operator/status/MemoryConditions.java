package dev.granary.operator.status;

import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.observe.ClusterView;
import dev.granary.operator.observe.ClusterView.StoragePeer;
import dev.granary.operator.observe.Headroom;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Sizes;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the conditions about the memory for chunks. Each begins at one bound and ends at a lower one, so that a cluster
 * near a bound does not go back and forth, with an event each time.
 */
final class MemoryConditions {
    private static final String CLUSTER_NEARLY_FULL = "ClusterNearlyFull";

    /** The fill from which on a storage peer counts as nearly full, and the one below which it no longer does. */
    private static final double FULL_PEER = 0.92;

    private static final double PEER_EASED = 0.87;

    private static final double FULL_CLUSTER = 0.85;
    private static final double CLUSTER_EASED = 0.80;

    private final @Nullable GranaryStatus previous;

    MemoryConditions(@Nullable GranaryStatus previous) {
        this.previous = previous;
    }

    /** Whether the condition {@code Headroom} makes sense: only copies can be recovered. */
    static boolean concernsHeadroom(ClusterPlan plan) {
        return plan.copies().backups() > 0 && plan.storage().wantedReplicas() > 1;
    }

    /** Returns the condition that the cluster, or single storage peers, are nearly full. */
    Verdict pressure(ClusterView view) {
        Condition before = StatusBuilder.find(previous, Conditions.MEMORY_PRESSURE);
        boolean was = before != null && "True".equals(before.getStatus());
        boolean wasFull = was && before != null && CLUSTER_NEARLY_FULL.equals(before.getReason());
        double fill = view.totals().capacityBytes() == 0
                ? 0
                : (double) view.totals().usedBytes() / view.totals().capacityBytes();
        if (fill > (wasFull ? CLUSTER_EASED : FULL_CLUSTER)) {
            return Verdict.yes(
                    Conditions.MEMORY_PRESSURE,
                    CLUSTER_NEARLY_FULL,
                    percent(fill) + " of the memory for chunks is used: raise spec.storagePeers.replicas or"
                            + " spec.storagePeers.memory before creates are refused");
        }
        double bound = was ? PEER_EASED : FULL_PEER;
        String fullPeers = view.storagePeers().stream()
                .filter(peer -> peer.live() && fill(peer) > bound)
                .map(peer -> peer.name() + " " + percent(fill(peer)))
                .collect(Collectors.joining(", "));
        return fullPeers.isEmpty()
                ? Verdict.no(Conditions.MEMORY_PRESSURE, "Enough", percent(fill) + " of the memory for chunks is used")
                : Verdict.yes(
                        Conditions.MEMORY_PRESSURE,
                        "PeersNearlyFull",
                        "nearly full: " + fullPeers
                                + ". Raise spec.storagePeers.replicas; the new peers take their share");
    }

    /**
     * Returns the condition that the cluster can lose one storage peer. While planned stops move chunks and take peers
     * away for a moment it stays as it was.
     */
    Verdict headroom(ClusterView view, boolean somebodyGoes) {
        Condition before = StatusBuilder.find(previous, Conditions.HEADROOM);
        if (somebodyGoes && before != null && !"Unknown".equals(before.getStatus())) {
            return new Verdict(Conditions.HEADROOM, before.getStatus(), before.getReason(), before.getMessage());
        }
        List<StoragePeer> live =
                view.storagePeers().stream().filter(StoragePeer::live).toList();
        if (live.size() < 2) {
            return new Verdict(
                    Conditions.HEADROOM,
                    "Unknown",
                    "StoragePeersMissing",
                    live.size() + " storage peers hold a lease: none could take over for another one");
        }
        Headroom room = Headroom.of(live);
        boolean was = before != null && "False".equals(before.getStatus());
        if (room.share() > (was ? Headroom.EASED : Headroom.LIMIT)) {
            return Verdict.no(
                    Conditions.HEADROOM,
                    "NoHeadroom",
                    "if " + room.largest() + " died the others would have " + Sizes.text(room.othersBytes()) + " for "
                            + Sizes.text(room.usedBytes()) + " of chunks (" + percent(room.share())
                            + "), and zones for which there is no room would stay without an owner. Raise"
                            + " spec.storagePeers.replicas or spec.storagePeers.memory");
        }
        return Verdict.yes(
                Conditions.HEADROOM,
                "CanLoseOne",
                "if the largest storage peer died the others would be " + percent(room.share()) + " full");
    }

    /** Returns how full the memory of a storage peer is. */
    static double fill(StoragePeer peer) {
        return peer.capacityBytes() == 0 ? 0 : (double) peer.usedBytes() / peer.capacityBytes();
    }

    static String percent(double share) {
        return Math.round(share * 100) + " %";
    }
}
