package dev.granary.net.message;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;

/**
 * A super-peer has the owner of a zone fill a copy on another storage peer. Answered at once when the owner will do so; it
 * asks for {@link ChangeCopies} when the copy is filled. Sent again as long as the zone has too few members, which changes
 * nothing for a copy that is being filled.
 *
 * @param zone whose copy is to be filled
 * @param epoch of the zone
 * @param ownerEpoch of the owner's incarnation that is meant
 * @param targetNid who shall hold it
 * @param targetAddress where that peer serves
 */
public record FillCopy(int zone, long epoch, long ownerEpoch, int targetNid, HostAddress targetAddress)
        implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(zone).writeLongLE(epoch).writeLongLE(ownerEpoch).writeShortLE(targetNid);
        Wire.writeAddress(out, targetAddress);
    }

    static FillCopy read(ByteBuf in) {
        return new FillCopy(
                in.readIntLE(), in.readLongLE(), in.readLongLE(), in.readUnsignedShortLE(), Wire.readAddress(in));
    }
}
