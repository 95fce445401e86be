package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A lease is renewed.
 *
 * @param leaseNanos how long it lasts, counted by the peer from the moment it sent the request
 * @param lidLimit LIDs below it are reserved
 * @param ringEpoch of the ring as the super-peer knows it; a higher one than the peer's means that it asks for the ring
 */
public record RenewLeaseReply(long leaseNanos, long lidLimit, long ringEpoch) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(leaseNanos).writeLongLE(lidLimit).writeLongLE(ringEpoch);
    }

    static RenewLeaseReply read(ByteBuf in) {
        return new RenewLeaseReply(in.readLongLE(), in.readLongLE(), in.readLongLE());
    }
}
