package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * An owner asks the arc of a creator which of this creator's zones it owns, and how they are placed now. Answered with a
 * {@link ZoneList}.
 *
 * @param creatorNid whose chunks are in the zones
 * @param ownerNid whose zones are wanted
 * @param afterZone zones up to this one are left out, 0 to begin
 */
public record ListZones(int creatorNid, int ownerNid, int afterZone) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeShortLE(ownerNid).writeIntLE(afterZone);
    }

    static ListZones read(ByteBuf in) {
        return new ListZones(in.readUnsignedShortLE(), in.readUnsignedShortLE(), in.readIntLE());
    }
}
