package dev.granary.memory.arena;

/**
 * The marker byte between two blocks, and the free blocks (DXMem section V-A, DXRAM section III-A). The upper half says
 * what lies to its left, the lower half what lies to its right:
 *
 * <pre>
 *   0       edge: the arena's region ends here
 *   1..4    allocated, with 0 to 3 length bytes
 *   5       free, no bytes: the next byte is a marker again
 *   6       free, 1 byte
 *   7       free, 2 to 13 bytes, untracked      [length 1 | ... | length 1]
 *   8..13   free, 14 bytes or more, in a list   [length k | next 6 | previous 6 | ... | length k], k = 1 to 6
 *   14      allocated for a CID table, which begins at the next multiple of 8
 *   15      allocated for anything else: pages, groups, what belongs to them
 * </pre>
 *
 * <p>Before an aligned block there may be padding of 1 to 63 bytes, which belongs to the block. Its last byte says how
 * long it is, in tens (upper half) and ones (lower half: 0 for none, else 4 more), so that the byte before an allocated
 * block tells whether it is a marker: the lower half of a marker there is 1 to 4, 14 or 15, that of padding never.
 */
public final class Marker {

    public static final int EDGE = 0;
    static final int ALLOCATED = 1;
    public static final int TABLE = 14;
    public static final int OTHER = 15;

    /** Alignments are powers of two up to this, so padding is shorter. */
    static final int MAX_ALIGNMENT_BYTES = 64;

    /** The smallest free block that is in a list. */
    public static final int MIN_TRACKED_BYTES = 14;

    private static final int FREE_NONE = 5;
    private static final int FREE_ONE = 6;
    private static final int UNTRACKED = 7;
    private static final int MAX_TRACKED = 13;

    private Marker() {}

    static int left(int marker) {
        return marker >>> 4;
    }

    public static int right(int marker) {
        return marker & 0xf;
    }

    public static int of(int left, int right) {
        return left << 4 | right;
    }

    static boolean isFree(int kind) {
        return kind >= FREE_NONE && kind <= MAX_TRACKED;
    }

    public static boolean isTracked(int kind) {
        return kind > UNTRACKED && kind <= MAX_TRACKED;
    }

    /** An allocated block of a chunk. */
    static boolean isChunk(int kind) {
        return kind >= ALLOCATED && kind < FREE_NONE;
    }

    /** Any allocated block. */
    static boolean isAllocated(int kind) {
        return isChunk(kind) || kind >= TABLE;
    }

    /** The last byte of padding of 1 to 63 bytes. */
    static int padding(int sizeBytes) {
        int ones = sizeBytes % 10;
        return of(sizeBytes / 10, ones == 0 ? 0 : ones + FREE_NONE - 1);
    }

    /** How much padding lies before an allocated block, by the byte before it. */
    static int paddingBytes(int before) {
        int ones = right(before);
        if (isAllocated(ones)) {
            return 0;
        }
        return left(before) * 10 + (ones == 0 ? 0 : ones - FREE_NONE + 1);
    }

    /** The kind of the block of a chunk of this size. */
    public static int chunk(int sizeBytes) {
        return ALLOCATED + EntryLayout.lengthBytes(sizeBytes);
    }

    /** The kind of a free block of this size. */
    public static int free(long sizeBytes) {
        if (sizeBytes >= MIN_TRACKED_BYTES) {
            return UNTRACKED + bytesFor(sizeBytes);
        }
        return sizeBytes == 0 ? FREE_NONE : sizeBytes == 1 ? FREE_ONE : UNTRACKED;
    }

    /** How many bytes a length field of a free block has that is not 0 or 1 byte long. */
    public static int lengthBytes(int kind) {
        return kind == UNTRACKED ? 1 : kind - UNTRACKED;
    }

    /** The size of a free block without a length field, or -1 if it has one. */
    static int sizeWithoutField(int kind) {
        return kind == FREE_NONE ? 0 : kind == FREE_ONE ? 1 : -1;
    }

    private static int bytesFor(long value) {
        return (71 - Long.numberOfLeadingZeros(value)) >>> 3;
    }
}
