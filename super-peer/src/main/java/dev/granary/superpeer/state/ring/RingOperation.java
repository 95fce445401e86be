package dev.granary.superpeer.state.ring;

import dev.granary.net.message.RecordBytes;
import dev.granary.schema.Coded;
import dev.granary.schema.I32;
import dev.granary.schema.U16;
import io.netty.buffer.ByteBuf;

/**
 * A change of what is on the ring that is under way: at most one at a time, recorded when it begins and when it is
 * over, so that whoever leads goes on with it (ADR 0089).
 *
 * @param id of the operation, never that of another one; for a promotion the generation of the new arc as well
 * @param kind what is done
 * @param nid the super-peer that comes or goes
 * @param version of the ring's view that has it first
 */
public record RingOperation(@I32 int id, Kind kind, @U16 int nid, long version) {

    /** What is done. */
    public enum Kind implements Coded {
        /** A candidate comes onto the ring: its arc is split off that of the next super-peer. */
        PROMOTE(0),
        /** A super-peer leaves the ring: its arc is joined with that of the next one. */
        DEMOTE(1),
        /**
         * All copies of a super-peer's arc are lost: the arc is put together from the storage peers' reports. The only
         * super-peer of a ring keeps it; otherwise it is joined with that of the next one, and the super-peer leaves.
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

    void write(ByteBuf out) {
        RecordBytes.write(this, out);
    }

    static RingOperation read(ByteBuf in) {
        return RecordBytes.read(RingOperation.class, in);
    }
}
