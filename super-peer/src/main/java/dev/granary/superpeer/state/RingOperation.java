package dev.granary.superpeer.state;

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
        PROMOTE,
        /** A super-peer leaves the ring: its arc is joined with that of the next one. */
        DEMOTE
    }

    void write(ByteBuf out) {
        out.writeIntLE(id).writeByte(kind.ordinal()).writeShortLE(nid).writeLongLE(version);
    }

    static RingOperation read(ByteBuf in) {
        int id = in.readIntLE();
        int kind = in.readUnsignedByte();
        if (kind >= Kind.values().length) {
            throw new IllegalArgumentException("a ring operation of the unknown kind " + kind);
        }
        return new RingOperation(id, Kind.values()[kind], in.readUnsignedShortLE(), in.readLongLE());
    }
}
