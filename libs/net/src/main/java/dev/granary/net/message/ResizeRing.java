package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Says how many super-peers the ring is to have.
 *
 * @param size at least 1
 */
public record ResizeRing(int size) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(size);
    }

    static ResizeRing read(ByteBuf in) {
        return new ResizeRing(in.readUnsignedShortLE());
    }
}
