package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Whether a lock was granted.
 *
 * @param token fencing token of the holder, greater than that of every holder of this lock before; 0 when another one
 *     holds the lock
 * @param remainingNanos what is left of the other one's lease; 0 when the lock is granted
 */
public record AcquireLockReply(long token, long remainingNanos) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(token).writeLongLE(remainingNanos);
    }

    static AcquireLockReply read(ByteBuf in) {
        return new AcquireLockReply(in.readLongLE(), in.readLongLE());
    }
}
