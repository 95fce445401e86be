package dev.granary.log.backup;

/**
 * The outcome of a durable change of a zone's log, and the state of the log after it.
 *
 * @param status what happened; the log has changed only after {@link Status#DONE}
 * @param epoch the lowest epoch that is still taken
 * @param lastSequence of the last batch, the base's if there is none
 * @param continuous whether this process has received the zone without a gap from its base on, or from a recovery on
 *     that has decided to keep what was found on the disk
 * @param filled whether the copy is whole
 */
public record ZoneResult(Status status, long epoch, long lastSequence, boolean continuous, boolean filled) {

    /** What happened. */
    public enum Status {
        /** The change is done and durable. */
        DONE,
        /** The epoch is lower than one that this log has promised to refuse. */
        FENCED,
        /** There is no such zone here. */
        UNKNOWN_ZONE,
        /** The zone's log here belongs to another cluster. */
        OTHER_CLUSTER
    }

    static ZoneResult unknown() {
        return new ZoneResult(Status.UNKNOWN_ZONE, 0, 0, false, false);
    }

    /** Returns whether the change is done and durable. */
    public boolean isDone() {
        return status == Status.DONE;
    }
}
