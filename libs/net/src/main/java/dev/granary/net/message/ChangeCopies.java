package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * An owner has members of its zone dropped, or added once they are filled. The arc commits it with the next epoch before
 * it answers, if the owner's incarnation has not ended and the zone is still at the expected epoch; otherwise nothing
 * changes. Never is the last member dropped without another one that is added. Answered with the {@link ZonePlacement}
 * that holds now.
 *
 * @param zone whose members they are
 * @param ownerNid the asking storage peer
 * @param ownerEpoch of its incarnation
 * @param expectedEpoch of the zone as the owner knows it
 * @param dropped NIDs that are members no more
 * @param added NIDs of filled copies that become members, last in the order
 * @param reason for people: why members are dropped, otherwise empty
 */
public record ChangeCopies(
        int zone,
        int ownerNid,
        long ownerEpoch,
        long expectedEpoch,
        List<Integer> dropped,
        List<Integer> added,
        String reason)
        implements Message {

    public ChangeCopies {
        dropped = List.copyOf(dropped);
        added = List.copyOf(added);
    }

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(zone).writeShortLE(ownerNid).writeLongLE(ownerEpoch).writeLongLE(expectedEpoch);
        Wire.writeList(out, dropped, ByteBuf::writeShortLE);
        Wire.writeList(out, added, ByteBuf::writeShortLE);
        Wire.writeString(out, reason);
    }

    static ChangeCopies read(ByteBuf in) {
        return new ChangeCopies(
                in.readIntLE(),
                in.readUnsignedShortLE(),
                in.readLongLE(),
                in.readLongLE(),
                Wire.readList(in, ByteBuf::readUnsignedShortLE),
                Wire.readList(in, ByteBuf::readUnsignedShortLE),
                Wire.readString(in));
    }
}
