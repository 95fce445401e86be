package dev.granary.superpeer.state.ring;

/** What a committed command of the ring leads to. */
public sealed interface RingResult {

    /** The super-peer has this NID. */
    record Admitted(int nid) implements RingResult {}

    /** The storage peer's disk has this NID. */
    record Assigned(int nid) implements RingResult {}

    /** The command was applied, now or before. */
    record Applied() implements RingResult {}

    /**
     * The command changed nothing.
     *
     * @param reason what kind of refusal
     * @param message for people
     */
    record Refused(Reason reason, String message) implements RingResult {}

    /** Why a command changed nothing. */
    enum Reason {
        /** The ring is not in a state for this command; for example another operation is under way. */
        NOT_NOW,
        /** All NIDs are given. */
        FULL,
        /** The ring is founded twice or not at all, or the disk belongs to a node of the other role. */
        CONFLICT
    }
}
