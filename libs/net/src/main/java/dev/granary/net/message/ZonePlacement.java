package dev.granary.net.message;

import dev.granary.overlay.Placement;
import io.netty.buffer.ByteBuf;

/**
 * Who serves and logs a zone, as committed.
 *
 * @param placement of the zone, whose id it has
 */
public record ZonePlacement(Placement placement) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writePlacement(out, placement);
    }

    static ZonePlacement read(ByteBuf in) {
        return new ZonePlacement(Wire.readPlacement(in));
    }
}
