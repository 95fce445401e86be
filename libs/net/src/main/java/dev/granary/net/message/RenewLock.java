package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks for another lease of a lock. The holder counts it from the moment it sent this.
 *
 * @param cid of the chunk
 * @param token of the holder
 */
public record RenewLock(long cid, long token) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(cid).writeLongLE(token);
    }

    static RenewLock read(ByteBuf in) {
        return new RenewLock(in.readLongLE(), in.readLongLE());
    }
}
