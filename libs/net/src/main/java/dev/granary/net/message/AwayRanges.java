package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A storage peer that has started anew asks its super-peer which of the chunks that it once created others own.
 *
 * @param nid its NID
 * @param fromCid from here on
 */
public record AwayRanges(int nid, long fromCid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(nid).writeLongLE(fromCid);
    }

    static AwayRanges read(ByteBuf in) {
        return new AwayRanges(in.readUnsignedShortLE(), in.readLongLE());
    }
}
