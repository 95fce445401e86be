package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A person gives a parked storage peer up: those who have copies take its place, what has no copy is lost (ADR 0120).
 *
 * @param nid its NID
 */
public record UnparkPeer(int nid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid);
    }

    static UnparkPeer read(ByteBuf in) {
        return new UnparkPeer(in.readUnsignedShortLE());
    }
}
