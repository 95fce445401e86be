package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * What a name stands for.
 *
 * @param cid 0 for nothing
 */
public record GetNameReply(long cid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(cid);
    }

    static GetNameReply read(ByteBuf in) {
        return new GetNameReply(in.readLongLE());
    }
}
