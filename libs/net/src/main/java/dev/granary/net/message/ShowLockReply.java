package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * The lock of a chunk.
 *
 * @param token of the holder, 0 when nobody holds it
 * @param remainingNanos what is left of the lease
 * @param waiting how many wait for it
 */
public record ShowLockReply(long token, long remainingNanos, int waiting) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(token).writeLongLE(remainingNanos).writeIntLE(waiting);
    }

    static ShowLockReply read(ByteBuf in) {
        return new ShowLockReply(in.readLongLE(), in.readLongLE(), in.readIntLE());
    }
}
