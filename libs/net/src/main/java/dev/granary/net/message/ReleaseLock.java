package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Gives a lock back. Done as well when it had ended already.
 *
 * @param cid of the chunk
 * @param token of the holder
 */
public record ReleaseLock(long cid, long token) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(cid).writeLongLE(token);
    }

    static ReleaseLock read(ByteBuf in) {
        return new ReleaseLock(in.readLongLE(), in.readLongLE());
    }
}
