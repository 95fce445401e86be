package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Nothing more of a creator's chunks comes out of the backup: what has not come is lost.
 *
 * @param nid the creator
 */
public record EndRestore(int nid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid);
    }

    static EndRestore read(ByteBuf in) {
        return new EndRestore(in.readUnsignedShortLE());
    }
}
