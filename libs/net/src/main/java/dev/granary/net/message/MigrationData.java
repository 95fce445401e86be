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
 * @param flags {@link #FLAG_SEAL}, {@link #FLAG_SYNC}, {@link #FLAG_READ}
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

    /** Everything that came so far is on the disks of the receiver's backups before this is answered. */
    public static final int FLAG_SYNC = 2;

    /**
     * Behind the last step: asks whether the sender may go on showing the chunks for {@link #READ_GRANT_NANOS}, although
     * the receiver may own them by then. Who grants it serves nothing before that is over, unless the sender says that
     * it has stopped.
     */
    public static final int FLAG_READ = 4;

    /** What the receiver of {@link #FLAG_READ} promises, from when it answers; the sender counts from when it asked. */
    public static final long READ_GRANT_NANOS = 250_000_000;

    private static final int ALL_FLAGS = FLAG_SEAL | FLAG_SYNC | FLAG_READ;

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
        if ((data.flags & ~ALL_FLAGS) != 0) {
            throw new FrameException("migration data with the unknown flags " + data.flags);
        }
        return data;
    }
}
