package dev.granary.superpeer.state;

import io.netty.buffer.ByteBuf;

/**
 * Something that happened to the ring, for people.
 *
 * @param number counted from 1
 * @param wallMillis when, by the clock of whoever led the ring then
 * @param kind what
 * @param nid the super-peer that it happened to, 0 when it was to none
 */
public record RingEvent(long number, long wallMillis, Kind kind, int nid) {

    /** What can happen; the order is that of the numbers in snapshots. */
    public enum Kind {
        FOUNDED,
        JOINED,
        RESIZED,
        PROMOTION_BEGAN,
        PROMOTED,
        DEMOTION_BEGAN,
        DEMOTED,
        CANCELLED
    }

    void write(ByteBuf out) {
        out.writeLongLE(number)
                .writeLongLE(wallMillis)
                .writeByte(kind.ordinal())
                .writeShortLE(nid);
    }

    static RingEvent read(ByteBuf in) {
        long number = in.readLongLE();
        long wallMillis = in.readLongLE();
        int kind = in.readUnsignedByte();
        if (kind >= Kind.values().length) {
            throw new IllegalArgumentException("a ring event of the unknown kind " + kind);
        }
        return new RingEvent(number, wallMillis, Kind.values()[kind], in.readUnsignedShortLE());
    }
}
