package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A lease is granted.
 *
 * @param leaseNanos how long it lasts, counted by the peer from the moment it sent the request
 * @param epoch of the peer's ranges, higher than that of any earlier incarnation
 * @param firstLid the first LID that this incarnation may give; all below were of earlier ones and their chunks are lost
 * @param lidLimit LIDs below it are reserved for this incarnation
 */
public record OpenLeaseReply(long leaseNanos, long epoch, long firstLid, long lidLimit) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(leaseNanos).writeLongLE(epoch).writeLongLE(firstLid).writeLongLE(lidLimit);
    }

    static OpenLeaseReply read(ByteBuf in) {
        return new OpenLeaseReply(in.readLongLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
    }
}
