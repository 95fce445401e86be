package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Where a copy of a zone stands after it was to be changed, little-endian.
 *
 * <pre>
 *  0      4        5       13             21
 *  +------+--------+-------+--------------+
 *  | zone | result | epoch | lastSequence |
 *  +------+--------+-------+--------------+
 *   int32  u8       int64   int64
 * </pre>
 *
 * @param zone whose copy it is
 * @param result what became of the change
 * @param epoch the highest that the backup knows of the zone, 0 when it knows none
 * @param lastSequence everything up to it is held, 0 when nothing is
 */
public record CopyState(int zone, CopyResult result, long epoch, long lastSequence) implements Message {

    public static final int BYTES = 21;

    @Override
    public void writeTo(ByteBuf out) {
        out.writeIntLE(zone).writeByte(result.code()).writeLongLE(epoch).writeLongLE(lastSequence);
    }

    /** Reads one. */
    public static CopyState read(ByteBuf in) {
        return new CopyState(
                in.readIntLE(), CopyResult.ofCode(in.readUnsignedByte()), in.readLongLE(), in.readLongLE());
    }
}
