package dev.granary.net.message;

import dev.granary.net.FrameException;
import io.netty.buffer.ByteBuf;

/**
 * What each request with chunks of a migration begins with, little-endian. The source sends one at a time; a step that
 * came before is answered again and changes nothing.
 *
 * <pre>
 *  0            2        10         18        26          28            36     40      44
 *  +------------+--------+----------+---------+-----------+-------------+------+-------+--------------
 *  | creatorNid | number | startCid | endCid  | sourceNid | targetEpoch | step | flags | parts ...
 *  +------------+--------+----------+---------+-----------+-------------+------+-------+--------------
 *   u16          int64    int64      int64     u16         int64         int32  int32
 *
 *  chunks       count int32, cids int64[count], sizes int32[count] (-1: there is none), payloads of the others
 *  requests     count int32, then each: clientId int64, sequence int64, chunks int32, cids int64[chunks], status u8[chunks];
 *               chunks -1: up to this sequence nothing of this client may be carried out;
 *               chunks -2: this request may have been carried out, nobody knows
 *  tokens       of locks that were seen: for all chunks at least int64, count int32, then each: cid int64, token int64
 * </pre>
 *
 * @param creatorNid whose chunks they are
 * @param number of the migration
 * @param startCid the first chunk
 * @param endCidInclusive the last chunk
 * @param sourceNid the sender
 * @param targetEpoch of the receiver's incarnation
 * @param step from 0 on
 * @param flags {@link #FLAG_SEAL}
 */
public record MigrationData(
        int creatorNid,
        long number,
        long startCid,
        long endCidInclusive,
        int sourceNid,
        long targetEpoch,
        int step,
        int flags) {

    /** The last one: the receiver has everything now. */
    public static final int FLAG_SEAL = 1;

    /** In place of a size: there is no such chunk. */
    public static final int NO_CHUNK = -1;

    /** In place of a count of chunks: up to this sequence nothing of this client may be carried out. */
    public static final int FLOOR = -1;

    /** In place of a count of chunks: nobody knows whether this request was carried out. */
    public static final int UNKNOWN = -2;

    public static final int BYTES = 44;

    /** Appends the header. */
    public void writeTo(ByteBuf out) {
        out.writeShortLE(creatorNid).writeLongLE(number).writeLongLE(startCid).writeLongLE(endCidInclusive);
        out.writeShortLE(sourceNid).writeLongLE(targetEpoch).writeIntLE(step).writeIntLE(flags);
    }

    /**
     * Reads the header.
     *
     * @throws FrameException when it has unknown flags
     */
    public static MigrationData read(ByteBuf in) {
        MigrationData data = new MigrationData(
                in.readUnsignedShortLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readLongLE(),
                in.readUnsignedShortLE(),
                in.readLongLE(),
                in.readIntLE(),
                in.readIntLE());
        if ((data.flags & ~FLAG_SEAL) != 0) {
            throw new FrameException("migration data with the unknown flags " + data.flags);
        }
        return data;
    }
}
