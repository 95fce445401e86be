package dev.granary.cli.backup;

/**
 * The layout of a part of a cluster backup, little-endian (docs/formats/backup.md).
 *
 * <pre>
 *  0         8         12
 *  +---------+---------+-----------------
 *  | magic   | version | blocks ...
 *  +---------+---------+-----------------
 *   8 bytes   i32 (1)
 *
 *  0        4          8      9
 *  +--------+----------+------+-----------------
 *  | length | checksum | kind | content ...
 *  +--------+----------+------+-----------------
 *   i32      i32        u8
 *
 *  1 chunks   owner u16, startCid i64, endCidInclusive i64, count i32, distances from startCid i32[count],
 *             sizes i32[count], contents one after another
 *  2 names    count i32, then each: name (size u16, UTF-8), CID i64
 *  3 end      chunks i64, payload bytes i64, names i64: totals of the part; keys i64 if there are any
 *  4 keys     slot group u16, count i32, then each: expiry i64, size i32 and bytes of the key, size i32 and bytes of
 *             what DUMP answers for it
 * </pre>
 *
 * <p>The length counts the bytes behind the checksum; the checksum is their CRC-32C.
 */
final class PartFormat {

    static final byte[] MAGIC = {'G', 'R', 'A', 'N', 'P', 'A', 'R', 'T'};
    static final int VERSION = 1;
    static final int HEADER_BYTES = MAGIC.length + Integer.BYTES;
    static final int FRAME_BYTES = 2 * Integer.BYTES;

    static final int CHUNKS = 1;
    static final int NAMES = 2;
    static final int END = 3;
    static final int KEYS = 4;

    private PartFormat() {}
}
