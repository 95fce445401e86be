package dev.granary.superpeer.state;

/** What a committed command of an arc leads to. Parts have results of their own beside these. */
public interface ArcResult {

    /** The command was applied; {@code peer} is the storage peer as it is now. */
    record Done(PeerRecord peer) implements ArcResult {}

    /** The command was applied, and has no further result. */
    record Applied() implements ArcResult {}

    /**
     * The command changed nothing.
     *
     * @param reason what kind of refusal
     * @param message for people
     */
    record Refused(Reason reason, String message) implements ArcResult {}

    /** Why a command changed nothing. */
    enum Reason {
        /** The NID belongs to another disk. */
        OTHER_DISK,
        /** The incarnation was replaced by a later one, or is parked. */
        FENCED,
        /** The incarnation has given its lease back, or other storage peers have taken its place. */
        ENDED,
        /** The incarnation is not the present one. */
        UNKNOWN_INCARNATION,
        /** The part of the arc that the command is about is moving to another super-peer: ask again a little later. */
        MOVING,
        /** The peer has used all its 2^48 LIDs. */
        LIDS_EXHAUSTED,
        /** The peer has used all numbers for zones of its chunks: new chunks would have no copies. */
        ZONES_EXHAUSTED,
        /** The creator has or had chunks where a restore was to lay those of a cluster backup. */
        NOT_EMPTY
    }
}
