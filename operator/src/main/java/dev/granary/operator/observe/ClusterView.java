package dev.granary.operator.observe;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a super-peer's {@code /status} that the operator uses. It describes the whole cluster.
 *
 * @param clusterId the cluster's id, {@code null} while there is no cluster yet
 * @param ring the ring
 * @param storagePeers every storage peer that was ever admitted
 * @param totals sums over the cluster
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ClusterView(@Nullable String clusterId, Ring ring, List<StoragePeer> storagePeers, Totals totals) {
    /** A super-peer that has no cluster yet says so with an empty id. */
    public ClusterView {
        if (clusterId != null && clusterId.isBlank()) {
            clusterId = null;
        }
    }

    /** The ring of super-peers. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Ring(long epoch, int size, int expectedSize, boolean complete) {}

    /**
     * One storage peer.
     *
     * @param state {@code live} or {@code expired}
     * @param lostLidsBelow chunks with a LID below it are lost; 1 when none are
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record StoragePeer(String nid, String name, String state, long lostLidsBelow) {
        /** Whether it holds a lease. */
        public boolean live() {
            return state.equals("live");
        }
    }

    /** Sums over the cluster. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Totals(
            int superPeers,
            int storagePeers,
            int livePeers,
            long chunks,
            long payloadBytes,
            long bookkeepingBytes,
            long usedBytes,
            long capacityBytes) {}
}
