package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Whoever leads the arc that a part moves to asks for a piece of it; the part is sealed from then on.
 *
 * @param nid of the super-peer that comes onto the ring or leaves it
 * @param operation of the ring
 * @param version of the ring's view that has the operation first
 * @param offset of the piece in bytes
 */
public record ArcPart(int nid, int operation, long version, int offset) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeIntLE(operation).writeLongLE(version).writeIntLE(offset);
    }

    static ArcPart read(ByteBuf in) {
        return new ArcPart(in.readUnsignedShortLE(), in.readIntLE(), in.readLongLE(), in.readIntLE());
    }
}
