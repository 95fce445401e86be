package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the super-peer of a storage peer's arc for that peer: its incarnation's epoch, its address, and whether it lives.
 *
 * @param nid of the storage peer
 */
public record AskPeer(int nid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid);
    }

    static AskPeer read(ByteBuf in) {
        return new AskPeer(in.readUnsignedShortLE());
    }
}
