package dev.granary.tools.demo;

import dev.granary.client.view.ClusterView;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The memory of a cluster, as its storage peers reported it last.
 *
 * @param peers each storage peer
 * @param superPeers super-peers on the ring
 */
record ClusterCost(List<PeerInfo> peers, int superPeers) {

    static ClusterCost of(ClusterView view) {
        return new ClusterCost(view.peers(), view.ring().members().size());
    }

    long chunks() {
        return sum(PeerStatistics::chunks);
    }

    long payloadBytes() {
        return sum(PeerStatistics::payloadBytes);
    }

    long bookkeepingBytes() {
        return sum(PeerStatistics::bookkeepingBytes);
    }

    /** The bytes that the peers have free. */
    long freeBytes() {
        return sum(PeerStatistics::capacityBytes) - sum(PeerStatistics::usedBytes);
    }

    /** The bytes of bookkeeping for each chunk, tables included. */
    double bookkeepingBytesPerChunk() {
        return chunks() == 0 ? 0 : (double) bookkeepingBytes() / chunks();
    }

    private long sum(ToLongFunction<PeerStatistics> figure) {
        return peers.stream().map(PeerInfo::statistics).mapToLong(figure).sum();
    }
}
