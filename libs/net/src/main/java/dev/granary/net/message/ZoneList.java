package dev.granary.net.message;

import dev.granary.overlay.Placement;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Zones.
 *
 * @param wantedCopies how many members a zone should have at present, {@link WantedCopies#UNKNOWN} when that is not known yet
 * @param nextZone what to ask behind next, 0 when these are all
 * @param zones by their ids, ascending
 */
public record ZoneList(int wantedCopies, int nextZone, List<Placement> zones) implements Message {

    public ZoneList {
        zones = List.copyOf(zones);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeByte(wantedCopies).writeIntLE(nextZone);
        Wire.writeList(out, zones, Wire::writePlacement);
    }

    static ZoneList read(ByteBuf in) {
        return new ZoneList(in.readUnsignedByte(), in.readIntLE(), Wire.readList(in, Wire::readPlacement));
    }
}
