package dev.granary.storage.data;

import java.lang.foreign.MemorySegment;

/**
 * Takes what a zone's log says beside chunks: requests that were carried out and the tokens of locks (SAFETY rules
 * "retries" and "ways around the owner"). By any thread.
 */
public interface LearntRequests {

    /**
     * A client's request was carried out.
     *
     * @param bytes hold what the former owner wrote of its completion, valid during the call
     */
    void request(long clientId, long requestSequence, long ackedSequence, MemorySegment bytes, long offset, int length);

    /** A lock's token was shown for a chunk. */
    void token(long cid, long token);
}
