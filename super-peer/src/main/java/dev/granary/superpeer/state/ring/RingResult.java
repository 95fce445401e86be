package dev.granary.superpeer.state.ring;

/** What a committed command of the ring leads to. */
public sealed interface RingResult {

    /** The super-peer has this NID. */
    record Admitted(int nid) implements RingResult {}

    /** The storage peer's disk has this NID. */
    record Assigned(int nid) implements RingResult {}

    /** It is done, or was before. */
    record Applied() implements RingResult {}

    /**
     * It changed nothing.
     *
     * @param reason what kind of refusal
     * @param message for people
     */
    record Refused(Reason reason, String message) implements RingResult {}

    /** Why a command changed nothing. */
    enum Reason {
        /** Another operation is under way, or the super-peer is not where it would have to be for this one. */
        NOT_NOW,
        /** All NIDs are given. */
        FULL,
        /** The ring is founded twice or not at all, or the disk belongs to a node of the other role. */
        CONFLICT
    }
}
