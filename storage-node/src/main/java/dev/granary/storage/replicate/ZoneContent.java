package dev.granary.storage.replicate;

import dev.granary.memory.ChunkMemory;
import java.util.concurrent.CompletableFuture;

/** What a new copy of a zone is filled with. Asked by tasks of the scheduler. */
public interface ZoneContent {

    /** Where the chunks are. */
    ChunkMemory memory();

    /** Completes when all operations have ended that began before; what they did is then in what is told here. */
    CompletableFuture<Void> turnOver();

    /**
     * Tells the requests that were carried out for a span of chunks, and the tokens of locks that were shown to them.
     */
    void tell(long startCid, long endCidInclusive, Visitor visitor);

    /** Takes what is told. */
    interface Visitor {

        /** A request was carried out: as {@link ZoneBatch#request} logs it. The bytes are valid during the call. */
        void request(long clientId, long sequence, long ackedSequence, byte[] completion, int sizeBytes);

        /** A token was shown to a chunk; for a CID with the LID 0, to chunks of this creator that are not known. */
        void token(long cid, long token);
    }
}
