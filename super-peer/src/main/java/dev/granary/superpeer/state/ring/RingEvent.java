package dev.granary.superpeer.state.ring;

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

    /** What can happen. */
    public enum Kind {
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

        static Kind ofCode(int code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("a ring event of the unknown kind " + code);
        }
    }

    void write(ByteBuf out) {
        out.writeLongLE(number).writeLongLE(wallMillis).writeByte(kind.code).writeShortLE(nid);
    }

    static RingEvent read(ByteBuf in) {
        return new RingEvent(
                in.readLongLE(), in.readLongLE(), Kind.ofCode(in.readUnsignedByte()), in.readUnsignedShortLE());
    }
}
