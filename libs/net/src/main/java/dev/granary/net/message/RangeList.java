package dev.granary.net.message;

import dev.granary.overlay.CidRange;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Ranges.
 *
 * @param nextCid where to ask on, 0 when there is nothing more
 * @param ranges ascending
 */
public record RangeList(long nextCid, List<CidRange> ranges) implements Message {

    public RangeList {
        ranges = List.copyOf(ranges);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(nextCid);
        Wire.writeList(out, ranges, Wire::writeRange);
    }

    static RangeList read(ByteBuf in) {
        return new RangeList(in.readLongLE(), Wire.readList(in, Wire::readRange));
    }
}
