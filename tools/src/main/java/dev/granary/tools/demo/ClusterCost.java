package dev.granary.tools.demo;

import dev.granary.client.view.ClusterView;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What the cluster itself says that it holds, as its storage peers reported last.
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

    /** Bytes that the peers may still fill. */
    long freeBytes() {
        return sum(PeerStatistics::capacityBytes) - sum(PeerStatistics::usedBytes);
    }

    /** All bytes of bookkeeping, tables included, for each chunk. */
    double bookkeepingBytesPerChunk() {
        return chunks() == 0 ? 0 : (double) bookkeepingBytes() / chunks();
    }

    private long sum(ToLongFunction<PeerStatistics> figure) {
        return peers.stream().map(PeerInfo::statistics).mapToLong(figure).sum();
    }
}
