package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * An owner has sent all steps of a copy that is filled. Answered with a {@link CopyState} when everything is on the disk,
 * and the mark that it is filled.
 *
 * @param clusterId of the sender
 * @param ownerNid the sender
 * @param zone of the copy
 * @param epoch in which the copy was opened
 * @param steps how many {@link FillData} there were
 */
public record CopyFilled(UUID clusterId, int ownerNid, int zone, long epoch, int steps) implements Message {

    @Override
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        out.writeShortLE(ownerNid).writeIntLE(zone).writeLongLE(epoch).writeIntLE(steps);
    }

    static CopyFilled read(ByteBuf in) {
        return new CopyFilled(
                Wire.readUuid(in), in.readUnsignedShortLE(), in.readIntLE(), in.readLongLE(), in.readIntLE());
    }
}
