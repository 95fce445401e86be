package dev.granary.storage.replicate;

import dev.granary.memory.ChunkMemory;
import java.util.concurrent.CompletableFuture;

/** What the base of a new copy of a zone is read from. Called by tasks of the scheduler. */
public interface ZoneContent {

    /** Returns the chunk memory that holds the chunks. */
    ChunkMemory memory();

    /**
     * Returns a future that completes when all operations have ended that began before. {@link #tell} has them then.
     */
    CompletableFuture<Void> turnOver();

    /**
     * Visits the completion records of a span of chunks, and the lock tokens that were shown to these chunks.
     */
    void tell(long startCid, long endCidInclusive, Visitor visitor);

    /** Takes completion records and lock tokens. */
    interface Visitor {

        /** Takes a completion record as {@link ZoneBatch#request} logs it. The bytes are valid during the call. */
        void request(long clientId, long sequence, long ackedSequence, byte[] completion, int sizeBytes);

        /** Takes a token that was shown to a chunk; the LID 0 stands for chunks of its creator that are not known. */
        void token(long cid, long token);
    }
}
