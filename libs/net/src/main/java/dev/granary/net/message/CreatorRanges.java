package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the super-peer of a creator's arc for all ranges of its chunks, whoever owns them.
 *
 * @param nid the creator
 * @param fromCid from here on
 */
public record CreatorRanges(int nid, long fromCid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeLongLE(fromCid);
    }

    static CreatorRanges read(ByteBuf in) {
        return new CreatorRanges(in.readUnsignedShortLE(), in.readLongLE());
    }
}
