package dev.granary.storage.data;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.ChunkStatus;
import dev.granary.overlay.Cid;

/**
 * The chunks that this peer serves. Immutable.
 *
 * @param memory where they are
 * @param firstLid the first LID of this incarnation: chunks below it are lost
 * @param tokens of the locks of these chunks
 */
record ServedChunks(ChunkMemory memory, long firstLid, LockTokens tokens) {

    /** What can be said of a CID without looking into the memory: {@link ChunkStatus#OK} when it may be there. */
    int statusOf(long cid) {
        if (Cid.nid(cid) != memory.nid()) {
            return ChunkStatus.WRONG_OWNER;
        }
        long lid = Cid.lid(cid);
        if (lid < firstLid) {
            return lid == 0 ? ChunkStatus.NOT_FOUND : ChunkStatus.LOST;
        }
        return ChunkStatus.OK;
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
