package dev.granary.simulation.big;

import dev.granary.overlay.Nid;

/**
 * What a big simulation consists of.
 *
 * @param seed determines everything random
 * @param superPeers the most super-peers on the ring, 3 to 4,096
 * @param storagePeers how many storage peers join; at least as many as super-peers, at most 32,767
 * @param ranges the full backup zones of two million chunks in all, spread over the storage peers
 * @param clients the number of clients with caches that look up chunks
 * @param virtualSeconds how long it runs, at least 10
 */
public record BigPlan(long seed, int superPeers, int storagePeers, int ranges, int clients, int virtualSeconds) {

    private static final int MOST_SUPER_PEERS = 4_096;
    private static final int FEWEST_SUPER_PEERS = 3;
    private static final int SHORTEST_SECONDS = 10;

    /** Checks every bound. */
    public BigPlan {
        require(
                superPeers >= FEWEST_SUPER_PEERS && superPeers <= MOST_SUPER_PEERS,
                superPeers + " super-peers; 3 to 4096 are possible");
        require(
                storagePeers >= superPeers && storagePeers < Nid.NODES_PER_ROLE,
                storagePeers + " storage peers; as many as super-peers to 32767 are possible");
        require(ranges >= storagePeers, ranges + " ranges; each storage peer has one at least");
        require(clients >= 1, clients + " clients; at least 1 is needed");
        require(virtualSeconds >= SHORTEST_SECONDS, virtualSeconds + " seconds; at least 10 are needed");
    }

    /** Returns the number of zones of each storage peer. */
    int zonesPerPeer() {
        return ranges / storagePeers;
    }

    private static void require(boolean condition, String problem) {
        if (!condition) {
            throw new IllegalArgumentException(problem);
        }
    }
}
