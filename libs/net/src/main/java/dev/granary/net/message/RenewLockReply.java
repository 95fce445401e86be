package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/** The lock is held for another lease of this length. */
public record RenewLockReply(long leaseNanos) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(leaseNanos);
    }

    static RenewLockReply read(ByteBuf in) {
        return new RenewLockReply(in.readLongLE());
    }
}
