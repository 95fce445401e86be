package dev.granary.superpeer.peer;

import dev.granary.env.Confined;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.overlay.Arc;
import dev.granary.overlay.Nid;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * The storage peers that super-peers have reported since the start of this process. Not thread-safe.
 *
 * <p>Invariants (ADR 0119, 0160): (1) a storage peer that was reported stays, as last reported, also while no
 * super-peer reports its arc; (2) an earlier incarnation never takes the place of a later one; (3) a place on the ring
 * counts as known only once a super-peer that serves it has reported the storage peers there; (4) {@code staying} is
 * the number of peers that are not draining.
 */
final class KnownPeers {
    private final Confined confined = new Confined();
    private final TreeMap<Integer, PeerInfo> peers = new TreeMap<>();

    /** The places on the ring, by NID, whose storage peers a super-peer that served them has reported. */
    private final BitSet places = new BitSet(Nid.RING_SIZE);

    private int staying;

    /**
     * Takes the report of a super-peer.
     *
     * @param told the storage peers of the arcs that it serves
     * @param served these arcs; none of another ring than the one that is known here, as they may have other bounds
     *     there
     */
    void told(List<PeerInfo> told, List<Arc> served) {
        assert confined.here() : confined;
        for (PeerInfo peer : told) {
            PeerInfo before = peers.get(peer.nid());
            if (before == null || peer.epoch() >= before.epoch()) {
                peers.put(peer.nid(), peer);
                staying += countOf(peer) - (before == null ? 0 : countOf(before));
            }
        }
        assert 0 <= staying && staying <= peers.size() : staying;
        served.forEach(this::cover);
    }

    private static int countOf(PeerInfo peer) {
        return peer.draining() ? 0 : 1;
    }

    private void cover(Arc arc) {
        int first = (arc.fromExclusive() + 1) & Nid.MAX;
        int end = first + arc.size();
        places.set(first, Math.min(end, Nid.RING_SIZE));
        places.set(0, Math.max(0, end - Nid.RING_SIZE));
    }

    /** Returns all storage peers that were reported, by NID. */
    Collection<PeerInfo> all() {
        assert confined.here() : confined;
        return peers.values();
    }

    /** Returns how many storage peers other than this one are not draining. */
    int stayingBeside(int nid) {
        assert confined.here() : confined;
        PeerInfo self = peers.get(nid);
        return staying - (self == null ? 0 : countOf(self));
    }

    /** Whether the storage peers of every place on the ring have been reported at least once. */
    boolean knowWholeRing() {
        assert confined.here() : confined;
        return places.cardinality() == Nid.RING_SIZE;
    }
}
