package dev.granary.log.backup;

/**
 * The outcome of an append to a backup log.
 *
 * @param status what happened
 * @param value for {@link Status#GAP} the sequence that is expected, for {@link Status#FENCED} the lowest epoch that is
 *     still taken, otherwise 0
 */
public record AppendResult(Status status, long value) {

    /** What happened. */
    public enum Status {
        /** The batch is in memory here, and on the disk after the next {@link BackupLog#sync}. */
        APPENDED,
        /** The batch, or a later one, was appended before: nothing changed, and the batch counts as appended. */
        DUPLICATE,
        /** An earlier batch is missing: the owner must send again from the expected sequence on. */
        GAP,
        /** The epoch is lower than one that this log has promised to refuse. */
        FENCED,
        /** The zone was not opened here, or not in the batch's epoch. */
        UNKNOWN_ZONE,
        /** The write buffer is full because the disk is slow: the owner must send the batch again soon. */
        BUSY,
        /** The disk is full. */
        FULL,
        /** The bytes are not an intact batch. */
        BROKEN,
        /** The disk failed: this log takes nothing any more. */
        FAILED
    }

    static final AppendResult APPENDED = new AppendResult(Status.APPENDED, 0);
    static final AppendResult DUPLICATE = new AppendResult(Status.DUPLICATE, 0);
    static final AppendResult UNKNOWN_ZONE = new AppendResult(Status.UNKNOWN_ZONE, 0);
    static final AppendResult BUSY = new AppendResult(Status.BUSY, 0);
    static final AppendResult FULL = new AppendResult(Status.FULL, 0);
    static final AppendResult BROKEN = new AppendResult(Status.BROKEN, 0);
    static final AppendResult FAILED = new AppendResult(Status.FAILED, 0);

    /** Returns whether the log has the batch now. */
    public boolean isHeld() {
        return status == Status.APPENDED || status == Status.DUPLICATE;
    }
}
