package dev.granary.memory;

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
 *   15      reserved
 * </pre>
 */
final class Marker {

    static final int EDGE = 0;
    static final int ALLOCATED = 1;
    static final int TABLE = 14;

    /** The smallest free block that is in a list. */
    static final int MIN_TRACKED_BYTES = 14;

    private static final int FREE_NONE = 5;
    private static final int FREE_ONE = 6;
    private static final int UNTRACKED = 7;
    private static final int MAX_TRACKED = 13;

    private Marker() {}

    static int left(int marker) {
        return marker >>> 4;
    }

    static int right(int marker) {
        return marker & 0xf;
    }

    static int of(int left, int right) {
        return left << 4 | right;
    }

    static boolean isFree(int kind) {
        return kind >= FREE_NONE && kind <= MAX_TRACKED;
    }

    static boolean isTracked(int kind) {
        return kind > UNTRACKED && kind <= MAX_TRACKED;
    }

    /** An allocated block of a chunk. */
    static boolean isChunk(int kind) {
        return kind >= ALLOCATED && kind < FREE_NONE;
    }

    /** The kind of the block of a chunk of this size. */
    static int chunk(int sizeBytes) {
        return ALLOCATED + EntryLayout.lengthBytes(sizeBytes);
    }

    /** The kind of a free block of this size. */
    static int free(long sizeBytes) {
        if (sizeBytes >= MIN_TRACKED_BYTES) {
            return UNTRACKED + bytesFor(sizeBytes);
        }
        return sizeBytes == 0 ? FREE_NONE : sizeBytes == 1 ? FREE_ONE : UNTRACKED;
    }

    /** How many bytes a length field of a free block has that is not 0 or 1 byte long. */
    static int lengthBytes(int kind) {
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
