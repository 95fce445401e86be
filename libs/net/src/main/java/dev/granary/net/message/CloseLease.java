package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A storage peer stops in an orderly way: it serves nothing any more and gives its lease back.
 */
public record CloseLease(int nid, long incarnation) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeLongLE(incarnation);
    }

    static CloseLease read(ByteBuf in) {
        return new CloseLease(in.readUnsignedShortLE(), in.readLongLE());
    }
}
