package dev.granary.log.batch;

import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * What stands before a run of records of one zone in a file, little-endian.
 *
 * <pre>
 *   0       4   5       8      12      16      20      24         32         40         48      56     60      64
 *  +-------+---+-------+-------+-------+-------+-------+----------+----------+----------+-------+------+-------+
 *  |"GBLK" |ver|   0   | zone  | gener-|  cut  |payload| first    | last     | durable  |synced |own   |crc32c |
 *  |       | 1 |       |       | ation |       | bytes | sequence | sequence | sequence | bytes |offset|       |
 *  +-------+---+-------+-------+-------+-------+-------+----------+----------+----------+-------+------+-------+
 * </pre>
 *
 * <ul>
 *   <li>durable sequence: all batches of the zone up to this one were durable when the block was written.
 *   <li>synced bytes: how many bytes of this file were durable when the block was written. Broken bytes before that are
 *       damage, broken bytes behind the last such mark are a torn tail.
 *   <li>own offset: where the block begins in its file,
 *       so that a copy of a log inside of a chunk is never taken for a block.
 *   <li>The records have checksums of their own.
 * </ul>
 */
public final class BlockHeader {

    public static final int LENGTH = 64;

    private static final int MAGIC = 0x4B4C_4247; // "GBLK" read as a little-endian number
    private static final byte VERSION = 1;
    private static final int VERSION_AT = 4;
    private static final int ZONE_AT = 8;
    private static final int GENERATION_AT = 12;
    private static final int CUT_AT = 16;
    private static final int PAYLOAD_AT = 20;
    private static final int FIRST_AT = 24;
    private static final int LAST_AT = 32;
    private static final int DURABLE_AT = 40;
    private static final int SYNCED_AT = 48;
    private static final int OFFSET_AT = 56;
    private static final int CRC_AT = 60;

    public int zone;
    public int generation;
    public int cut;
    public int payloadBytes;
    public long firstSequence;
    public long lastSequence;
    public long durableSequence;
    public long syncedBytes;
    public int offset;

    /** Stands at nothing yet. */
    public BlockHeader() {}

    /** Writes the header at an offset of an array. */
    public void write(byte[] bytes, int at) {
        Arrays.fill(bytes, at, at + LENGTH, (byte) 0);
        BatchFormat.INT.set(bytes, at, MAGIC);
        bytes[at + VERSION_AT] = VERSION;
        BatchFormat.INT.set(bytes, at + ZONE_AT, zone);
        BatchFormat.INT.set(bytes, at + GENERATION_AT, generation);
        BatchFormat.INT.set(bytes, at + CUT_AT, cut);
        BatchFormat.INT.set(bytes, at + PAYLOAD_AT, payloadBytes);
        BatchFormat.LONG.set(bytes, at + FIRST_AT, firstSequence);
        BatchFormat.LONG.set(bytes, at + LAST_AT, lastSequence);
        BatchFormat.LONG.set(bytes, at + DURABLE_AT, durableSequence);
        BatchFormat.LONG.set(bytes, at + SYNCED_AT, syncedBytes);
        BatchFormat.INT.set(bytes, at + OFFSET_AT, offset);
        BatchFormat.INT.set(bytes, at + CRC_AT, crc(bytes, at));
    }

    /** Reads an intact header; false when there is none. The payload may be longer than what follows. */
    public boolean read(byte[] bytes, int at, int limit) {
        if (limit - at < LENGTH
                || (int) BatchFormat.INT.get(bytes, at) != MAGIC
                || bytes[at + VERSION_AT] != VERSION
                || (int) BatchFormat.INT.get(bytes, at + CRC_AT) != crc(bytes, at)) {
            return false;
        }
        zone = (int) BatchFormat.INT.get(bytes, at + ZONE_AT);
        generation = (int) BatchFormat.INT.get(bytes, at + GENERATION_AT);
        cut = (int) BatchFormat.INT.get(bytes, at + CUT_AT);
        payloadBytes = (int) BatchFormat.INT.get(bytes, at + PAYLOAD_AT);
        firstSequence = (long) BatchFormat.LONG.get(bytes, at + FIRST_AT);
        lastSequence = (long) BatchFormat.LONG.get(bytes, at + LAST_AT);
        durableSequence = (long) BatchFormat.LONG.get(bytes, at + DURABLE_AT);
        syncedBytes = (long) BatchFormat.LONG.get(bytes, at + SYNCED_AT);
        offset = (int) BatchFormat.INT.get(bytes, at + OFFSET_AT);
        return payloadBytes >= 0;
    }

    private static int crc(byte[] bytes, int at) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, at, CRC_AT);
        return (int) crc.getValue();
    }
}
