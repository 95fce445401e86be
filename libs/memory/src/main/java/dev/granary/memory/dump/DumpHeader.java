package dev.granary.memory.dump;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.InvalidDumpException;
import dev.granary.memory.MemoryLayout;
import dev.granary.memory.page.Page;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The first bytes of a dump: what it is, and how large its parts are. {@code docs/formats/memory-dump.md} has the rest.
 * Numbers are little-endian.
 *
 * <pre>
 *     0  magic         "GRANDUMP"
 *     8  version       u32   1
 *    12  nid           u16
 *    14  layout        u8    0 classic, 1 typed
 *    15  stripes       u8
 *    16  extentBytes   u64   a power of two
 *    24  capacity      u64   bytes that the memory could take
 *    32  segments      u64   how many
 *    40  extents       u64   of all segments
 *    48  firstLid      u64   the lowest LID that could be given
 *    56  endLid        u64   the lowest LID above that could not
 *    64  nextPage      u64   number of the lowest page that was never taken for creates
 *    72  chunks        u64
 *    80  payload       u64   bytes of all chunks
 *    88  0             u64
 *    96  0             u64
 *   104  0             u64
 *   112  0             u64
 *   120  0             u32
 *   124  checksum      u32   CRC32C of the bytes before
 *   128
 * </pre>
 *
 * @param segments how many segments follow
 * @param extents how many extents they have
 */
public record DumpHeader(
        int nid,
        MemoryLayout layout,
        int stripes,
        long extentBytes,
        long capacityBytes,
        long segments,
        long extents,
        long firstLid,
        long endLid,
        long nextPage,
        long chunks,
        long payloadBytes) {

    public static final int BYTES = 128;

    static final int VERSION = 2;

    /** "GRANDUMP". */
    static final long MAGIC = 0x504d55444e415247L;

    /** "GRANDEND", at the end of the file. */
    static final long END_MAGIC = 0x444e45444e415247L;

    private static final byte CLASSIC = 0;
    private static final byte TYPED = 1;
    private static final int CHECKED_BYTES = BYTES - 4;
    private static final long MIN_EXTENT_BYTES = 4096;
    private static final long MAX_EXTENT_BYTES = 1L << 30;

    /** The header's bytes. */
    public ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(MAGIC).putInt(VERSION).putShort((short) nid);
        out.put(layout == MemoryLayout.CLASSIC ? CLASSIC : TYPED).put((byte) stripes);
        out.putLong(extentBytes).putLong(capacityBytes).putLong(segments).putLong(extents);
        out.putLong(firstLid).putLong(endLid).putLong(nextPage).putLong(chunks).putLong(payloadBytes);
        return out.putInt(CHECKED_BYTES, checksum(out)).rewind();
    }

    /**
     * Reads a header.
     *
     * @throws InvalidDumpException if these bytes are none, or of another version, or damaged
     */
    public static DumpHeader decode(ByteBuffer bytes) {
        ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (in.getLong(0) != MAGIC) {
            throw new InvalidDumpException("this is no dump of a chunk memory: it does not begin with GRANDUMP");
        }
        int version = in.getInt(8);
        if (version != VERSION) {
            throw new InvalidDumpException(
                    "the dump has version " + Integer.toUnsignedString(version) + ", this program reads " + VERSION);
        }
        if (in.getInt(CHECKED_BYTES) != checksum(in)) {
            throw new InvalidDumpException("the header of the dump is damaged: its checksum is wrong");
        }
        byte layout = in.get(14);
        DumpHeader header = new DumpHeader(
                in.getShort(12) & 0xffff,
                layout == CLASSIC ? MemoryLayout.CLASSIC : MemoryLayout.TYPED,
                in.get(15) & 0xff,
                in.getLong(16),
                in.getLong(24),
                in.getLong(32),
                in.getLong(40),
                in.getLong(48),
                in.getLong(56),
                in.getLong(64),
                in.getLong(72),
                in.getLong(80));
        if ((layout != CLASSIC && layout != TYPED) || !header.isPlausible()) {
            throw new InvalidDumpException("the header of the dump has impossible numbers: " + header);
        }
        return header;
    }

    private boolean isPlausible() {
        return nid > 0
                && stripes > 0
                && Long.bitCount(extentBytes) == 1
                && extentBytes >= MIN_EXTENT_BYTES
                && extentBytes <= MAX_EXTENT_BYTES
                && segments >= 0
                && segments <= extents
                && extents <= ChunkMemoryConfig.MAX_CAPACITY_BYTES / extentBytes
                && isLid(firstLid)
                && isLid(endLid - 1)
                && nextPage >= 0
                && nextPage <= (ChunkMemory.MAX_LID >>> Page.SLOT_BITS) + 1
                && chunks >= 0
                && payloadBytes >= 0;
    }

    private static boolean isLid(long lid) {
        return lid >= 0 && lid <= ChunkMemory.MAX_LID;
    }

    private static int checksum(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().position(0).limit(CHECKED_BYTES));
        return (int) crc.getValue();
    }
}
