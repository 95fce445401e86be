package dev.granary.net.message;

import dev.granary.overlay.CidRange;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * LIDs are reserved.
 *
 * @param lidLimit LIDs below it are reserved; at least what was wanted
 * @param wantedCopies how many members a zone should have at present, 0 when there is no other storage peer
 * @param ranges the reserved LIDs from the known limit on, with their zones, ascending
 */
public record ReserveLidsReply(long lidLimit, int wantedCopies, List<CidRange> ranges) implements Message {

    public ReserveLidsReply {
        ranges = List.copyOf(ranges);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(lidLimit).writeByte(wantedCopies);
        Wire.writeList(out, ranges, Wire::writeRange);
    }

    static ReserveLidsReply read(ByteBuf in) {
        return new ReserveLidsReply(in.readLongLE(), in.readUnsignedByte(), Wire.readList(in, Wire::readRange));
    }
}
