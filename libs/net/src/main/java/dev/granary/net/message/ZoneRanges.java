package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks the arc of a zone's creator which ranges are in the zone now. Answered with a {@link RangeList}.
 *
 * @param zone its id
 * @param fromCid from here on
 */
public record ZoneRanges(int zone, long fromCid) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(zone).writeLongLE(fromCid);
    }

    static ZoneRanges read(ByteBuf in) {
        return new ZoneRanges(in.readIntLE(), in.readLongLE());
    }
}
