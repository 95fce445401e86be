package dev.granary.superpeer.state;

import dev.granary.overlay.Ring;

/** What a committed command of the ring leads to. */
public sealed interface RingResult {

    /** The ring is as said now, and the member in question has this NID. */
    record Member(int nid, Ring ring) implements RingResult {}

    /** The storage peer's disk has this NID. */
    record Assigned(int nid) implements RingResult {}

    /**
     * It changed nothing.
     *
     * @param reason what kind of refusal
     * @param message for people
     */
    record Refused(Reason reason, String message) implements RingResult {}

    /** Why a command changed nothing. */
    enum Reason {
        /** The ring has all the members that it was founded for, or all NIDs are given. */
        FULL,
        /** This super-peer does not lead the ring. */
        NOT_LEADER,
        /** The ring is of another cluster or founded twice, or the disk belongs to a node of the other role. */
        CONFLICT
    }
}
