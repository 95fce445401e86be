package dev.granary.memory;

/**
 * The words of the CID table (DXMem figure 2). An entry of level 0 is one aligned word of 64 bits:
 *
 * <pre>
 *   63     62      61 ........ 55  54 ........ 43  42 ......................... 0
 *  +------+-------+--------------+---------------+-------------------------------+
 *  | pin  | writer| readers (7)  | length (12)   | address (43)                  |
 *  +------+-------+--------------+---------------+-------------------------------+
 *
 *  address   of the chunk's block; the payload begins there, behind the block's length bytes if it has any
 *  length    0..2047     the size is one more, the block has no length bytes
 *            2048 + low  the size is 2049 + (high << 11 | low), high in the block's 1 to 3 length bytes
 *  readers   0..126 that hold the lock
 *  writer    one holds the lock, or waits for the readers to leave; no new reader enters
 *  pin       the address must not change (reserved, not used yet)
 *
 *  Spare values
 *  address 0, rest 0          never held a chunk
 *  address 0, length 1        free; waits in its table for a harvest
 *  address 0, length 2        free; its LID lies in a cache of free LIDs
 *  address 1, length 0        a chunk of no bytes, without a block
 *  address 2..15              reserved
 *  readers 127 and writer     a read-only chunk, which needs no lock (reserved, not used yet)
 * </pre>
 *
 * <p>A word of the levels above, and the root, which is in the VMB's header:
 *
 * <pre>
 *   63 ............ 47  46 .. 44  43     42 ......................... 0
 *  +------------------+----------+------+-------------------------------+
 *  | 0                | height   | free | address of a table (8-aligned) |
 *  +------------------+----------+------+-------------------------------+
 *  free      somewhere below is an entry that waits for a harvest (it may be set without one, never the reverse)
 *  height    of the root only: how many levels there are, 0 to 4
 * </pre>
 */
final class EntryLayout {

    static final int ADDRESS_BITS = 43;
    static final long ADDRESS_MASK = (1L << ADDRESS_BITS) - 1;

    static final long NEVER_USED = 0;
    static final long FREE_LISTED = 1L << ADDRESS_BITS;
    static final long FREE_CACHED = 2L << ADDRESS_BITS;

    /** Address of a chunk of no bytes. */
    static final long EMPTY_CHUNK = 1;

    /** The largest size that needs no length bytes in the block. */
    static final int MAX_EMBEDDED_SIZE = 2048;

    static final long READER = 1L << 55;
    static final int MAX_READERS = 126;
    static final long WRITER = 1L << 62;

    static final long HAS_FREE = 1L << 43;

    private static final int LENGTH_MASK = 0xfff;
    private static final int SPLIT = 0x800;
    private static final int LOW_BITS = 11;
    private static final int LOW_MASK = (1 << LOW_BITS) - 1;
    /** Address and length. */
    private static final long BLOCK_MASK = READER - 1;

    private static final int READERS_SHIFT = 55;
    private static final int READERS_MASK = 0x7f;
    private static final int HEIGHT_SHIFT = 44;
    private static final int HEIGHT_MASK = 7;

    private EntryLayout() {}

    /** An unlocked entry of a chunk. */
    static long entry(long address, int sizeBytes) {
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

    static long address(long word) {
        return word & ADDRESS_MASK;
    }

    static boolean isChunk(long entry) {
        return (entry & ADDRESS_MASK) != 0;
    }

    /** Whether it is a chunk that nobody writes to. */
    static boolean isQuiet(long entry) {
        return (entry & ADDRESS_MASK) != 0 && (entry & WRITER) == 0;
    }

    /** Whether an entry is like an earlier, quiet one, readers aside. */
    static boolean isSameQuiet(long entry, long earlier) {
        return ((entry ^ earlier) & (BLOCK_MASK | WRITER)) == 0;
    }

    static int readers(long entry) {
        return (int) (entry >>> READERS_SHIFT) & READERS_MASK;
    }

    /** Whether the size is in the entry alone. */
    static boolean hasEmbeddedSize(long entry) {
        return (entry >>> ADDRESS_BITS & SPLIT) == 0;
    }

    /** The size of a chunk whose entry has it alone. */
    static int embeddedSize(long entry) {
        return address(entry) == EMPTY_CHUNK ? 0 : ((int) (entry >>> ADDRESS_BITS) & LENGTH_MASK) + 1;
    }

    /** The size of a chunk whose block holds the high part. */
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

    static long root(long table, int height, boolean hasFree) {
        return table | (long) height << HEIGHT_SHIFT | (hasFree ? HAS_FREE : 0);
    }

    static int height(long root) {
        return (int) (root >>> HEIGHT_SHIFT) & HEIGHT_MASK;
    }
}
