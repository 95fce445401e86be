package dev.granary.log.batch;

import java.lang.foreign.MemorySegment;

/**
 * Visits the entries of a batch, or the newest entries of a zone. The version of an entry is (epoch, sequence), which
 * its owner gave it. Segments are valid during the call only.
 */
public interface EntryVisitor {

    /**
     * Visits the content of a chunk.
     *
     * @param bytes holds the content from the offset on
     * @param offset in bytes
     * @param length of the content in bytes
     */
    void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length);

    /** Visits the tombstone of a deleted chunk. A replay visits only chunks that are there and does not call this. */
    default void tombstone(long cid, long epoch, long sequence) {}

    /**
     * Visits the completion record of a client's request.
     *
     * @param ackedSequence the client has seen the answers of all its requests up to this one
     * @param bytes holds the answer, or what else the owner wrote, from the offset on
     */
    default void request(
            long clientId,
            long requestSequence,
            long ackedSequence,
            long epoch,
            long sequence,
            MemorySegment bytes,
            long offset,
            int length) {}

    /** Visits the fencing token of the lock of a chunk, which need not exist any more. */
    default void token(long cid, long token, long epoch, long sequence) {}
}
