package dev.granary.memory.arena;

import dev.granary.memory.page.SparsePages;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What is known of each segment: an extent, or a run of extents that was taken for one large block. Its number is that
 * of its first extent. A segment is fragmented to the degree to which its free blocks are small ones (DXRAM section
 * III-B).
 *
 * <p>Written under the lock of the stripe that owns the segment, those of pages under the lock of the page's owner,
 * which may be another stripe. Elsewhere the figures are hints.
 *
 * <p>Invariants, while no operation is running:
 *
 * <ol>
 *   <li>{@link #deadBytes} of a segment is the sum of {@link SparsePages#deadBytes(long, long, long)} of the pages
 *       whose slots lie there.
 *   <li>{@link #isFixed} says whether nodes of tables, or slots of typed pages with pinned chunks, lie there.
 *   <li>Both are 0 for what is no segment.
 * </ol>
 */
public final class Segments {

    /** Free blocks below this are small ones. */
    public static final int SMALL_BYTES = 64;

    private final boolean[] evacuating;
    private final int[] freeBlocks;
    private final int[] smallFreeBlocks;
    private final long[] freeBytes;
    private final byte[] tailBytes;
    private final AtomicLongArray deadBytes;
    private final AtomicIntegerArray fixed;

    Segments(int extents) {
        evacuating = new boolean[extents];
        freeBlocks = new int[extents];
        smallFreeBlocks = new int[extents];
        freeBytes = new long[extents];
        tailBytes = new byte[extents];
        deadBytes = new AtomicLongArray(extents);
        fixed = new AtomicIntegerArray(extents);
    }

    /** Whether nothing may be allocated in it, because it is to become free. */
    public boolean isEvacuating(int segment) {
        return evacuating[segment];
    }

    /** Free blocks of any size, down to no bytes at all between two markers. */
    public int freeBlocks(int segment) {
        return freeBlocks[segment];
    }

    /** Free blocks of less than {@link #SMALL_BYTES}. */
    public int smallFreeBlocks(int segment) {
        return smallFreeBlocks[segment];
    }

    /** The bytes of its free blocks, without markers. */
    public long freeBytes(int segment) {
        return freeBytes[segment];
    }

    /** What at its end is too small to be a free block, so that the last marker stands before it. */
    public int tailBytes(int segment) {
        return tailBytes[segment];
    }

    void setTailBytes(int segment, int bytes) {
        tailBytes[segment] = (byte) bytes;
    }

    /** The bytes of slots without chunks in sparse typed pages. */
    public long deadBytes(int segment) {
        return deadBytes.get(segment);
    }

    public void addDead(int segment, long bytes) {
        deadBytes.getAndAdd(segment, bytes);
    }

    /** Whether something in it cannot move. */
    public boolean isFixed(int segment) {
        return fixed.get(segment) != 0;
    }

    /** How many nodes, and pages with pinned chunks, lie in it. */
    public int fixed(int segment) {
        return fixed.get(segment);
    }

    public void addFixed(int segment, int count) {
        fixed.getAndAdd(segment, count);
    }

    /** Small free blocks by free blocks, 0 if there are none. */
    public double fragmentation(int segment) {
        int all = freeBlocks[segment];
        return all == 0 ? 0 : (double) smallFreeBlocks[segment] / all;
    }

    void setEvacuating(int segment, boolean value) {
        evacuating[segment] = value;
    }

    /** Sets what is known of a segment, when a memory is loaded. */
    public void restore(int segment, int free, int smallFree, long bytes, int tail) {
        freeBlocks[segment] = free;
        smallFreeBlocks[segment] = smallFree;
        freeBytes[segment] = bytes;
        tailBytes[segment] = (byte) tail;
    }

    void add(int segment, long blockBytes) {
        freeBlocks[segment]++;
        freeBytes[segment] += blockBytes;
        if (blockBytes < SMALL_BYTES) {
            smallFreeBlocks[segment]++;
        }
    }

    void remove(int segment, long blockBytes) {
        freeBlocks[segment]--;
        freeBytes[segment] -= blockBytes;
        if (blockBytes < SMALL_BYTES) {
            smallFreeBlocks[segment]--;
        }
    }

    /** A free block has become smaller, though not small. */
    void shrink(int segment, long bytes) {
        freeBytes[segment] -= bytes;
    }

    void clear(int segment) {
        evacuating[segment] = false;
        freeBlocks[segment] = 0;
        smallFreeBlocks[segment] = 0;
        freeBytes[segment] = 0;
    }

    /** What this takes on the heap. */
    long heapBytes() {
        return evacuating.length * (2L + 3 * Integer.BYTES + 2 * Long.BYTES);
    }
}
