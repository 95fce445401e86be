package dev.granary.storage.replicate;

/**
 * What the replication of one owner may take of its memory (ADR 0190).
 *
 * @param pendingBytes limit of the batches that wait for backups; a request that would exceed it is refused for now
 * @param largestChangeBytes a request whose batches have more bytes is refused for good; a smaller one is taken when no
 *     other change waits, even if it exceeds {@code pendingBytes}
 * @param heldBytes limit of the pending replies; a request whose reply would exceed it is refused
 * @param shippedBytes limit of the batches that are on their way to backups; further ones wait
 * @param transferBytes limit of what fills of copies and moves have on their way; further steps wait
 */
public record ReplicationBounds(
        long pendingBytes, long largestChangeBytes, long heldBytes, long shippedBytes, long transferBytes) {

    /** No bounds beside those of the memory plan. */
    static final ReplicationBounds NONE =
            new ReplicationBounds(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

    /** Returns the lower bound of each pair. */
    public ReplicationBounds and(ReplicationBounds others) {
        return new ReplicationBounds(
                Math.min(pendingBytes, others.pendingBytes),
                Math.min(largestChangeBytes, others.largestChangeBytes),
                Math.min(heldBytes, others.heldBytes),
                Math.min(shippedBytes, others.shippedBytes),
                Math.min(transferBytes, others.transferBytes));
    }
}
