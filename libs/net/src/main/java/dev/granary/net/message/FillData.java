package dev.granary.net.message;

import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * What each request begins with that brings a new copy what was there before it was opened, little-endian. The owner
 * sends one at a time; a step that came before is answered again and changes nothing. The answer is a {@link CopyState}.
 *
 * <pre>
 *  0           16         18     22      30     34
 *  +-----------+----------+------+-------+------+-------------
 *  | clusterId | ownerNid | zone | epoch | step | batches ...
 *  +-----------+----------+------+-------+------+-------------
 *   uuid        u16        int32  int64   int32
 * </pre>
 *
 * @param clusterId of the sender
 * @param ownerNid the sender
 * @param zone of the copy
 * @param epoch in which the copy was opened
 * @param step from 0 on
 */
public record FillData(UUID clusterId, int ownerNid, int zone, long epoch, int step) {

    public static final int BYTES = 34;

    /** Appends the header. */
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        out.writeShortLE(ownerNid).writeIntLE(zone).writeLongLE(epoch).writeIntLE(step);
    }

    /** Reads the header. */
    public static FillData read(ByteBuf in) {
        return new FillData(
                Wire.readUuid(in), in.readUnsignedShortLE(), in.readIntLE(), in.readLongLE(), in.readIntLE());
    }
}
