package dev.granary.net.message;

import dev.granary.net.FrameException;
import io.netty.buffer.ByteBuf;
import java.util.UUID;

/**
 * What each request begins with that carries changes from an owner to a backup, little-endian.
 *
 * <pre>
 *  0           16         18      19      21
 *  +-----------+----------+-------+-------+----------
 *  | clusterId | ownerNid | flags | zones | parts ...
 *  +-----------+----------+-------+-------+----------
 *   uuid        u16        u8      u16
 *
 *  part        zone int32, epoch int64, acknowledged int64, sizeBytes int32, batches[sizeBytes]
 *  reply       zones u16, then for each part, in order, a {@link CopyState}
 * </pre>
 *
 * The batches of a part are whole, of one zone, in the order of their sequences (libs/log); batches that are held
 * already are skipped. Up to the acknowledged sequence all members of the zone hold everything. A zone may stand in several parts. A part without batches asks how far the copy holds, a request
 * without parts whether the backup is there.
 *
 * @param clusterId of the sender
 * @param ownerNid the sender
 * @param flags {@link #FLAG_SYNC}
 * @param zones how many parts follow
 */
public record Replicate(UUID clusterId, int ownerNid, int flags, int zones) {

    /** What is sent, and what was before it, is on the disk before the answer comes. */
    public static final int FLAG_SYNC = 1;

    public static final int BYTES = 21;

    /** What each part begins with: zone, epoch, acknowledged sequence, size. */
    public static final int PART_BYTES = 24;

    /** The most parts of one request. */
    public static final int MAX_ZONES = 0xFFFF;

    /** Appends the header. */
    public void writeTo(ByteBuf out) {
        Wire.writeUuid(out, clusterId);
        out.writeShortLE(ownerNid).writeByte(flags).writeShortLE(zones);
    }

    /**
     * Reads the header.
     *
     * @throws FrameException when it has unknown flags
     */
    public static Replicate read(ByteBuf in) {
        Replicate header = new Replicate(
                Wire.readUuid(in), in.readUnsignedShortLE(), in.readUnsignedByte(), in.readUnsignedShortLE());
        if ((header.flags & ~FLAG_SYNC) != 0) {
            throw new FrameException("changes to replicate with the unknown flags " + header.flags);
        }
        return header;
    }
}
