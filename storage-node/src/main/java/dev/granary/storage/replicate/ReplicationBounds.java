package dev.granary.storage.replicate;

/**
 * What the replication of one owner may take of its memory (ADR 0190).
 *
 * @param pendingBytes of changes that wait for backups; what would add more is refused until there is room
 * @param largestChangeBytes a request that adds more to these is refused for good; a smaller one is taken when no other
 *     change waits, even if it is larger than what may wait
 * @param heldBytes of answers that wait for backups; what would have to wait as well is refused
 * @param shippedBytes of changes that are on their way to backups; others wait for these
 * @param transferBytes that fills of copies and moves have on their way; others wait for these
 */
public record ReplicationBounds(
        long pendingBytes, long largestChangeBytes, long heldBytes, long shippedBytes, long transferBytes) {

    /** None but what the memory plan says. */
    static final ReplicationBounds NONE =
            new ReplicationBounds(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);

    /** The lower one of each. */
    public ReplicationBounds and(ReplicationBounds others) {
        return new ReplicationBounds(
                Math.min(pendingBytes, others.pendingBytes),
                Math.min(largestChangeBytes, others.largestChangeBytes),
                Math.min(heldBytes, others.heldBytes),
                Math.min(shippedBytes, others.shippedBytes),
                Math.min(transferBytes, others.transferBytes));
    }
}
