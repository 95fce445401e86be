package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * A lease is renewed.
 *
 * @param leaseNanos how long it lasts, counted by the peer from the moment it sent the request
 * @param lidLimit LIDs below it are reserved
 * @param ringEpoch of the ring as the super-peer knows it; a higher one than the peer's means that it asks for the ring
 * @param wantedCopies how many members a zone should have at present, 0 when there is no other storage peer, {@link
 *     WantedCopies#UNKNOWN} when that is not known yet
 * @param zonesMark another one than before when zones that the peer owns in its arc have changed: then it asks by
 *     {@link ListZones}
 */
public record RenewLeaseReply(long leaseNanos, long lidLimit, long ringEpoch, int wantedCopies, long zonesMark)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(leaseNanos).writeLongLE(lidLimit).writeLongLE(ringEpoch);
        out.writeByte(wantedCopies).writeLongLE(zonesMark);
    }

    static RenewLeaseReply read(ByteBuf in) {
        return new RenewLeaseReply(
                in.readLongLE(), in.readLongLE(), in.readLongLE(), in.readUnsignedByte(), in.readLongLE());
    }
}
