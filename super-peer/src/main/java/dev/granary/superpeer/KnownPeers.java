package dev.granary.superpeer;

import dev.granary.net.message.PeerInfo;
import dev.granary.overlay.Ring;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * The storage peers that super-peers have told of since the start of this one. Not thread-safe.
 *
 * <p>Invariants (ADR 0119): (1) a storage peer that was told of stays, as it was told last, also while nobody tells of its arc; (2) an
 * earlier incarnation never takes the place of a later one; (3) an arc counts as known only once who serves it has told of it.
 */
final class KnownPeers {
    private final TreeMap<Integer, PeerInfo> peers = new TreeMap<>();
    private final Set<Integer> arcs = new HashSet<>();

    /**
     * A super-peer tells.
     *
     * @param told the storage peers of the arcs that it serves
     * @param served the NIDs of the super-peers whose arcs these are
     */
    void told(List<PeerInfo> told, List<Integer> served) {
        arcs.addAll(served);
        told.forEach(peer -> peers.merge(peer.nid(), peer, (old, now) -> now.epoch() < old.epoch() ? old : now));
    }

    /** All of them, by NID. */
    Collection<PeerInfo> all() {
        return peers.values();
    }

    /** Whether every arc of the ring has been told of at least once. */
    boolean knowsArcsOf(Ring ring) {
        return ring.members().stream().allMatch(member -> arcs.contains(member.nid()));
    }
}
