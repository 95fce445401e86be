package dev.granary.net.message;

import dev.granary.overlay.CidRange;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A lease is granted.
 *
 * @param leaseNanos how long it lasts, counted by the peer from the moment it sent the request
 * @param epoch of the peer's ranges, higher than that of any earlier incarnation
 * @param firstLid the first LID that this incarnation may give; all below were of earlier ones and their chunks are lost.
 *     When it has resumed, that of the incarnation that was parked
 * @param lidLimit LIDs below it are reserved for this incarnation
 * @param wantedCopies how many members a zone should have at present, 0 when there is no other storage peer
 * @param resumed whether this incarnation takes the place of the parked one and has all that it had
 * @param ranges the reserved LIDs that this incarnation owns, with their zones, ascending
 */
public record OpenLeaseReply(
        long leaseNanos,
        long epoch,
        long firstLid,
        long lidLimit,
        int wantedCopies,
        boolean resumed,
        List<CidRange> ranges)
        implements Message {

    public OpenLeaseReply {
        ranges = List.copyOf(ranges);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(leaseNanos).writeLongLE(epoch).writeLongLE(firstLid).writeLongLE(lidLimit);
        out.writeByte(wantedCopies).writeBoolean(resumed);
        Wire.writeList(out, ranges, Wire::writeRange);
    }

    static OpenLeaseReply read(ByteBuf in) {
        return new OpenLeaseReply(
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readUnsignedByte(),
                in.readBoolean(),
                Wire.readList(in, Wire::readRange));
    }
}
