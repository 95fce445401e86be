package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A storage peer asks for more LIDs before it gives them (SAFETY: the mark is reserved before use).
 *
 * @param nid its NID
 * @param incarnation of the process
 * @param knownLimit LIDs below it are known to the peer, with their zones
 * @param wantedLimit LIDs below it are wanted
 */
public record ReserveLids(int nid, long incarnation, long knownLimit, long wantedLimit) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeLongLE(incarnation).writeLongLE(knownLimit).writeLongLE(wantedLimit);
    }

    static ReserveLids read(ByteBuf in) {
        return new ReserveLids(in.readUnsignedShortLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
    }
}
