package dev.granary.superpeer.state.ring;

import dev.granary.schema.Coded;
import dev.granary.schema.U16;

/**
 * Something that happened to the ring, for people.
 *
 * @param number counted from 1
 * @param wallMillis when it happened, by the clock of the leader of the ring
 * @param kind what happened
 * @param nid the super-peer concerned, 0 for none
 */
public record RingEvent(
        long number, long wallMillis, Kind kind, @U16 int nid) {

    /** What can happen. */
    public enum Kind implements Coded {
        FOUNDED(0),
        JOINED(1),
        RESIZED(2),
        PROMOTION_BEGAN(3),
        PROMOTED(4),
        DEMOTION_BEGAN(5),
        DEMOTED(6),
        CANCELLED(7),
        REBUILDING_BEGAN(8),
        REBUILT(9);

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }
}
