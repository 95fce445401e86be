package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/** Asks who holds the lock of a chunk. */
public record ShowLock(long cid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(cid);
    }

    static ShowLock read(ByteBuf in) {
        return new ShowLock(in.readLongLE());
    }
}
