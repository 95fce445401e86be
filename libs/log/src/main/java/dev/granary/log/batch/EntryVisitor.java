package dev.granary.log.batch;

import java.lang.foreign.MemorySegment;

/**
 * Is told the entries of a batch, or the newest ones of a zone. The version of an entry is (epoch, sequence), which its
 * owner gave it. Segments are valid during the call only.
 */
public interface EntryVisitor {

    /**
     * Is told the content of a chunk.
     *
     * @param bytes holds the content from the offset on
     * @param offset in bytes
     * @param length of the content in bytes
     */
    void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length);

    /** Is told that a chunk was deleted. A replay tells only chunks that are there and does not call this. */
    default void tombstone(long cid, long epoch, long sequence) {}

    /**
     * Is told the completion of a client's request.
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

    /** Is told the fencing token of the lock of a chunk, which need not exist any more. */
    default void token(long cid, long token, long epoch, long sequence) {}
}
