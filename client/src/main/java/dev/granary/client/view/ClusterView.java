package dev.granary.client.view;

import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The ring and the storage peers as the super-peers reported them last.
 *
 * @param ring the super-peers
 * @param peers all storage peers of all arcs, in the order in which they joined
 */
public record ClusterView(Ring ring, List<PeerInfo> peers) {

    public ClusterView {
        peers = peers.stream()
                .sorted(Comparator.comparingInt(peer -> Nid.reverse16(peer.nid())))
                .toList();
    }

    /**
     * Returns the storage peer with this NID. Uses the order of the list, because each create of a chunk calls this.
     */
    public Optional<PeerInfo> peer(int nid) {
        int from = 0;
        int to = peers.size() - 1;
        while (from <= to) {
            int middle = (from + to) >>> 1;
            PeerInfo peer = peers.get(middle);
            if (peer.nid() == nid) {
                return Optional.of(peer);
            }
            if (Nid.reverse16(peer.nid()) < Nid.reverse16(nid)) {
                from = middle + 1;
            } else {
                to = middle - 1;
            }
        }
        return Optional.empty();
    }

    /** Returns the storage peers that hold a lease. */
    public List<PeerInfo> livePeers() {
        return peers.stream().filter(PeerInfo::live).toList();
    }
}
