package dev.granary.operator.observe;

import dev.granary.operator.observe.ClusterView.StoragePeer;
import java.util.Collection;
import java.util.Comparator;

/**
 * Whether the storage peers have room for the chunks of one of them that dies. The largest one counts: it has the most
 * chunks, and takes the most room along.
 *
 * @param usedBytes what all of them use
 * @param othersBytes what all but the largest have
 * @param largest name of the largest one, empty for none
 */
public record Headroom(long usedBytes, long othersBytes, String largest) {
    /** Above this share of the memory of the others there is no headroom. The alert GranaryNoHeadroom has it, too. */
    public static final double LIMIT = 0.95;

    /** Up to this share there is headroom again, and the autoscaler aims at no more. */
    public static final double EASED = 0.90;

    /** Returns the headroom of storage peers. */
    public static Headroom of(Collection<StoragePeer> peers) {
        long used = peers.stream().mapToLong(StoragePeer::usedBytes).sum();
        long capacity = peers.stream().mapToLong(StoragePeer::capacityBytes).sum();
        return peers.stream()
                .max(Comparator.comparingLong(StoragePeer::capacityBytes).thenComparingLong(StoragePeer::usedBytes))
                .map(peer -> new Headroom(used, capacity - peer.capacityBytes(), peer.name()))
                .orElse(new Headroom(0, 0, ""));
    }

    /** Returns how full the others would be, as a share of their memory; more than 1 if not everything fits. */
    public double share() {
        return othersBytes == 0 ? 0 : (double) usedBytes / othersBytes;
    }
}
