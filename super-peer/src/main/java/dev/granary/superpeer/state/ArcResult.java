package dev.granary.superpeer.state;

/** What a committed command of an arc leads to. Parts have results of their own beside these. */
public interface ArcResult {

    /** It is done; the peer is as said now. */
    record Done(PeerRecord peer) implements ArcResult {}

    /** It is done, and there is nothing more to say. */
    record Applied() implements ArcResult {}

    /**
     * It changed nothing.
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
        /** The incarnation has given its lease back, or others have taken its place. */
        ENDED,
        /** The incarnation is not the present one. */
        UNKNOWN_INCARNATION,
        /** The part of the arc that it is about is on its way to another super-peer: ask again a little later. */
        MOVING,
        /** The peer has used all its 2^48 LIDs. */
        LIDS_EXHAUSTED,
        /** The peer has used all numbers for zones of its chunks: what it creates would have no copies. */
        ZONES_EXHAUSTED,
        /** There are chunks, or were, where others were to come out of a backup. */
        NOT_EMPTY
    }
}
