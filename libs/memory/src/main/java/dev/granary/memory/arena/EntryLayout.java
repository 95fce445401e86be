package dev.granary.memory.arena;

/**
 * The word that says where a chunk is when that cannot be computed (DXMem figure 2, its lock moved to the page): an
 * entry of a page of entries, or a forward in a slot of another page.
 *
 * <pre>{@code
 *   63 ....... 56  55         54 ........ 43  42 ......................... 0
 *  +--------------+----------+---------------+-------------------------------+
 *  | 0            | readOnly | length (12)   | address (43)                  |
 *  +--------------+----------+---------------+-------------------------------+
 *
 *  address   of the chunk's block; the payload begins there, behind the block's length bytes if it has any
 *  length    0..2047     the size is one more, the block has no length bytes
 *            2048 + low  the size is 2049 + (high << 11 | low), high in the block's 1 to 3 length bytes
 *  readOnly  the chunk's bytes must not change (in entries; pages of other kinds have a bitmap)
 *
 *  Spare values
 *  0                          no chunk
 *  address 1, length 0        a chunk of no bytes, without a block
 *  address 2..15              reserved
 * }</pre>
 */
public final class EntryLayout {

    public static final int ADDRESS_BITS = 43;
    public static final long ADDRESS_MASK = (1L << ADDRESS_BITS) - 1;

    /** What an entry takes. */
    public static final int BYTES = 8;

    /** Instead of an entry: no chunk. */
    public static final long NO_CHUNK = 0;

    /** Address of a chunk of no bytes. */
    public static final long EMPTY_CHUNK = 1;

    /** The largest size that needs no length bytes in the block. */
    public static final int MAX_EMBEDDED_SIZE = 2048;

    public static final long READ_ONLY = 1L << 55;

    private static final int LENGTH_MASK = 0xfff;
    private static final int SPLIT = 0x800;
    private static final int LOW_BITS = 11;
    private static final int LOW_MASK = (1 << LOW_BITS) - 1;

    private EntryLayout() {}

    /** The entry of a chunk. */
    public static long entry(long address, int sizeBytes) {
        long length;
        if (sizeBytes == 0) {
            length = 0;
        } else if (sizeBytes <= MAX_EMBEDDED_SIZE) {
            length = sizeBytes - 1L;
        } else {
            length = SPLIT | ((sizeBytes - MAX_EMBEDDED_SIZE - 1) & LOW_MASK);
        }
        return address | length << ADDRESS_BITS;
    }

    public static long address(long word) {
        return word & ADDRESS_MASK;
    }

    /** Whether the size is in the entry alone. */
    public static boolean hasEmbeddedSize(long entry) {
        return (entry >>> ADDRESS_BITS & SPLIT) == 0;
    }

    /** The size of a chunk whose entry has it alone. */
    public static int embeddedSize(long entry) {
        return address(entry) == EMPTY_CHUNK ? 0 : ((int) (entry >>> ADDRESS_BITS) & LENGTH_MASK) + 1;
    }

    /** The size of a chunk whose block holds the high part. Any number, if that part is not true any more. */
    static int splitSize(long entry, long high) {
        int low = (int) (entry >>> ADDRESS_BITS) & LOW_MASK;
        return (int) (MAX_EMBEDDED_SIZE + 1 + (high << LOW_BITS | low));
    }

    /** How many length bytes the block of a chunk has, 0 to 3. */
    static int lengthBytes(int sizeBytes) {
        if (sizeBytes <= MAX_EMBEDDED_SIZE) {
            return 0;
        }
        int high = high(sizeBytes);
        return high < 1 << 8 ? 1 : high < 1 << 16 ? 2 : 3;
    }

    /** What these length bytes hold. */
    static int high(int sizeBytes) {
        return (sizeBytes - MAX_EMBEDDED_SIZE - 1) >>> LOW_BITS;
    }
}
