package dev.granary.client;

import dev.granary.net.message.PeerInfo;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Ring;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The ring and the storage peers as the super-peers told them last.
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

    /** The storage peer with this NID. */
    public Optional<PeerInfo> peer(int nid) {
        return peers.stream().filter(peer -> peer.nid() == nid).findFirst();
    }

    /** The storage peers that hold a lease. */
    public List<PeerInfo> livePeers() {
        return peers.stream().filter(PeerInfo::live).toList();
    }
}
