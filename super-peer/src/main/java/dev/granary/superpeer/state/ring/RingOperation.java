package dev.granary.superpeer.state.ring;

import dev.granary.schema.Coded;
import dev.granary.schema.I32;
import dev.granary.schema.U16;

/**
 * A change of the ring's super-peers that is under way, at most one at a time. Its beginning and its end are committed,
 * so that the next leader of the ring goes on with it (ADR 0089).
 *
 * @param id of the operation, used only once; for a promotion the generation of the new arc as well
 * @param kind what the operation does
 * @param nid the super-peer that joins or leaves the ring
 * @param version of the first view of the ring that has the operation
 */
public record RingOperation(@I32 int id, Kind kind, @U16 int nid, long version) {

    /** What an operation does. */
    public enum Kind implements Coded {
        /** A ring candidate joins the ring: its arc is split off that of the next super-peer. */
        PROMOTE(0),
        /** A super-peer leaves the ring: its arc is joined with that of the next one. */
        DEMOTE(1),
        /**
         * All replicas of a super-peer's arc are lost: the arc is rebuilt from the reports of storage peers. The only
         * super-peer of a ring keeps the arc. Otherwise the arc is joined with that of the next super-peer, and the
         * super-peer leaves.
         */
        REBUILD(2);

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
