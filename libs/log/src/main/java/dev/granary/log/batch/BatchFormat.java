package dev.granary.log.batch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A batch, the atom of the log: what one request changes in one zone. Numbers are little-endian; a varint has seven
 * bits a byte, the lowest first, and the high bit in all bytes but the last.
 *
 * <pre>{@code
 *   0       4      5             +1..4      +4       +1..10   +1..10
 *  +-------+------+-------------+----------+--------+--------+------- ~ ---+
 *  | crc32c| kind | size varint | zone     | epoch  |sequence| entries     |
 *  |       |      |             |          | varint | varint |             |
 *  +-------+------+-------------+----------+--------+--------+------- ~ ---+
 *          |<---------------- the checksum covers these ------------------>|
 * }</pre>
 *
 * <ul>
 *   <li>kind: 0xB1 a batch, 0xB2 a record of the cleaner, in which a varint before each entry is its sequence less the
 *       one of the header.
 *   <li>size: all bytes behind the size itself.
 * </ul>
 *
 * An entry starts with a byte that tells its type (bits 0 and 1), whether a NID of two bytes follows because it is not
 * that of the zone (bit 2), the bytes of its LID less one (bits 3 to 5), and the bytes of its length:
 * none (an empty chunk), 1, 2 or 4 (bits 6 and 7).
 *
 * <pre>
 *  CHUNK      0 | tag | [NID 2] | LID 1..6 | length 0, 1, 2, 4 | bytes
 *  TOMBSTONE  1 | tag | [NID 2] | LID 1..6 |
 *  REQUEST    2 | tag | client 8 | request varint | acknowledged varint | length varint | bytes
 *  TOKEN      3 | tag | [NID 2] | LID 1..6 | token varint |
 * </pre>
 */
public final class BatchFormat {

    /** The largest batch, in bytes: a whole zone and what stands beside its chunks. */
    static final int MAX_BATCH_BYTES = 320 << 20;

    static final int CRC_BYTES = 4;
    static final int KIND_AT = 4;
    static final int SIZE_AT = 5;
    public static final byte KIND_BATCH = (byte) 0xB1;
    public static final byte KIND_CLEANED = (byte) 0xB2;

    /** Checksum, kind, size, zone, epoch and sequence at their longest. */
    static final int MAX_HEADER_BYTES = 4 + 1 + 5 + 4 + 10 + 10;

    /** The shortest batch: one byte of size, epoch and sequence each. */
    static final int MIN_BATCH_BYTES = 4 + 1 + 1 + 4 + 1 + 1;

    public static final int TYPE_CHUNK = 0;
    public static final int TYPE_TOMBSTONE = 1;
    public static final int TYPE_REQUEST = 2;
    public static final int TYPE_TOKEN = 3;
    static final int TYPE_MASK = 3;
    static final int OTHER_NID = 1 << 2;
    static final int LID_SHIFT = 3;
    static final int LID_MASK = 7;
    static final int LENGTH_SHIFT = 6;

    static final int LID_BITS = 48;
    static final int NID_MASK = 0xFFFF;

    /** The bits of the number in a zone id; the other bits are the NID of the zone's creator. */
    static final int ZONE_NUMBER_BITS = 15;

    static final long MAX_LID = (1L << LID_BITS) - 1;

    static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private BatchFormat() {}

    /** The NID that the CIDs of a zone have if an entry does not say another one. */
    static long nidBits(int zone) {
        return (long) nid(zone) << LID_BITS;
    }

    /** The NID of the creator whose chunks a zone has. */
    static int nid(int zone) {
        return zone >>> ZONE_NUMBER_BITS & NID_MASK;
    }

    /** How many bytes a varint takes. */
    static int varintBytes(long value) {
        int bits = 64 - Long.numberOfLeadingZeros(value | 1);
        return (bits + 6) / 7;
    }

    /** Writes a varint and returns where it ends. */
    static int putVarint(byte[] bytes, int at, long value) {
        int end = at;
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[end++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[end++] = (byte) rest;
        return end;
    }
}
