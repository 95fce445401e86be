package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * An owner asks the arc of a creator for the zone in which it is to log this creator's chunks that it takes over. There is
 * one for each creator and owner; asking again changes nothing. Answered with a {@link ZonePlacement}.
 *
 * @param creatorNid whose chunks they are
 * @param ownerNid the asking storage peer
 * @param ownerEpoch of its incarnation
 */
public record OpenZone(int creatorNid, int ownerNid, long ownerEpoch) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeShortLE(ownerNid).writeLongLE(ownerEpoch);
    }

    static OpenZone read(ByteBuf in) {
        return new OpenZone(in.readUnsignedShortLE(), in.readUnsignedShortLE(), in.readLongLE());
    }
}
