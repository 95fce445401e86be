package dev.granary.storage.migrate;

import dev.granary.memory.ChunkMemory;
import dev.granary.overlay.Cid;
import java.lang.foreign.MemorySegment;

/**
 * Keeps the LIDs of chunks that are elsewhere from being given to new ones: an empty chunk stands in the place of each,
 * and also of those that were free (SAFETY rule "LIDs and NIDs": only the owner of a range may give its LIDs). Nobody
 * sees these chunks, as this peer does not own them. Creates wait meanwhile. Tasks of the scheduler.
 */
final class Placeholders {

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);
    private static final int STEP = 1024;

    private Placeholders() {}

    /** Removes the chunks of a span that has another owner now. */
    static void leave(Peer peer, long startCid, long endCidInclusive) {
        ChunkMemory memory = peer.memory();
        delete(memory, startCid, endCidInclusive);
        long first = firstWithPlaceholder(peer, startCid);
        for (long cid = first; cid <= endCidInclusive && Cid.nid(startCid) == peer.nid(); cid++) {
            memory.insert(cid, NOTHING, 0, 0);
        }
        peer.placeholders().addAndGet(count(peer, startCid, endCidInclusive));
    }

    /** Frees the LIDs without a chunk of a span that has come back, so that they may be given again. */
    static void returned(Peer peer, long startCid, long endCidInclusive) {
        peer.placeholders().addAndGet(-count(peer, startCid, endCidInclusive));
    }

    /** Returns how many LIDs of a span have placeholders while another peer owns it. */
    private static long count(Peer peer, long startCid, long endCidInclusive) {
        return Cid.nid(startCid) == peer.nid()
                ? Math.max(0, endCidInclusive - firstWithPlaceholder(peer, startCid) + 1)
                : 0;
    }

    /** Returns the first CID that needs a placeholder. LIDs of earlier incarnations are never given again. */
    private static long firstWithPlaceholder(Peer peer, long startCid) {
        return Math.max(startCid, Cid.of(Cid.nid(startCid), peer.ownership().firstLid()));
    }

    private static void delete(ChunkMemory memory, long startCid, long endCidInclusive) {
        long[] cids = new long[STEP];
        boolean[] deleted = new boolean[STEP];
        for (long from = startCid; from - endCidInclusive <= 0; from += STEP) {
            int count = (int) Math.min(STEP, endCidInclusive - from + 1);
            for (int i = 0; i < count; i++) {
                cids[i] = from + i;
            }
            memory.delete(cids, 0, count, deleted);
        }
    }
}
