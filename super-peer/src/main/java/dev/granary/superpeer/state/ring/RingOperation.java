package dev.granary.superpeer.state.ring;

import io.netty.buffer.ByteBuf;

/**
 * A change of what is on the ring that is under way: at most one at a time, recorded when it begins and when it is over,
 * so that whoever leads goes on with it (ADR 0089).
 *
 * @param id of the operation, never that of another one; for a promotion the generation of the new arc as well
 * @param kind what is done
 * @param nid the super-peer that comes or goes
 * @param version of the ring's view that has it first
 */
public record RingOperation(int id, Kind kind, int nid, long version) {

    /** What is done. */
    public enum Kind {
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

        int code() {
            return code;
        }

        static Kind ofCode(int code) {
            return switch (code) {
                case 0 -> PROMOTE;
                case 1 -> DEMOTE;
                case 2 -> REBUILD;
                default -> throw new IllegalArgumentException("a ring operation of the unknown kind " + code);
            };
        }
    }

    void write(ByteBuf out) {
        out.writeIntLE(id).writeByte(kind.code()).writeShortLE(nid).writeLongLE(version);
    }

    static RingOperation read(ByteBuf in) {
        return new RingOperation(
                in.readIntLE(), Kind.ofCode(in.readUnsignedByte()), in.readUnsignedShortLE(), in.readLongLE());
    }
}
