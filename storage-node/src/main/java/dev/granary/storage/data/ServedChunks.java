package dev.granary.storage.data;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.ChunkStatus;
import dev.granary.overlay.Cid;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.replicate.OwnedZones;

/**
 * The chunks that this peer serves. Immutable.
 *
 * @param memory where they are
 * @param ownership which they are
 * @param tokens of the locks of these chunks
 * @param zones in which they are logged
 * @param epoch of this incarnation of the storage peer
 */
record ServedChunks(ChunkMemory memory, Ownership ownership, LockTokens tokens, OwnedZones zones, long epoch) {

    /**
     * What can be said of a CID without looking into the memory: {@link ChunkStatus#OK} when it may be there. Chunks of
     * slot groups are there for those who know keys only: a change by CID would pass the index of keys.
     */
    int statusOf(long cid) {
        return SlotGroup.isGroup(Cid.nid(cid)) ? ChunkStatus.NOT_FOUND : ownership.statusOf(cid);
    }

    /** The end, exclusive, of the CIDs from an index on that may be there. */
    int endOfRun(long[] cids, int from, int to) {
        int end = from;
        while (end < to && statusOf(cids[end]) == ChunkStatus.OK) {
            end++;
        }
        return end;
    }

    static Outcome outcomeOf(int status) {
        return switch (status) {
            case ChunkStatus.OK -> Outcome.OK;
            case ChunkStatus.NOT_FOUND, ChunkStatus.LOST -> Outcome.NOT_FOUND;
            default -> Outcome.REFUSED;
        };
    }
}
