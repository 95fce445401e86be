package dev.granary.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * Allocates blocks of exact size, unaligned, with one marker byte between two of them, in the extents of one part of
 * the VMB (DXMem section V-A). All methods under the lock of the stripe that it belongs to.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A region begins and ends with a marker; between two blocks there is exactly one, whose halves tell the truth.
 *   <li>No two free blocks are neighbours.
 *   <li>A free block is in a list if and only if it has 14 bytes or more; it is in the list for its size.
 *   <li>A free block of 2 bytes or more has its size at both ends.
 *   <li>{@link #allocatedBytes} counts every allocated block and one marker byte for each.
 * </ol>
 */
final class BlockArena {

    /** Consecutive extents of this arena: first marker byte, and end behind the last one. */
    record Region(long start, long end) {}

    private final Vmb vmb;
    private final Extents extents;
    private final int id;
    private final FreeLists lists;
    private final List<Region> regions = new ArrayList<>();
    private long allocatedBytes;

    BlockArena(Vmb vmb, Extents extents, int id, long anchors) {
        this.vmb = vmb;
        this.extents = extents;
        this.id = id;
        this.lists = new FreeLists(vmb, anchors);
    }

    /**
     * Allocates a block.
     *
     * @param sizeBytes at least 1
     * @param kind of the allocated block in its marker bytes
     * @param exhaustive whether to search for long before giving up
     * @return the block's address, or 0 if there is no room
     */
    long allocate(long sizeBytes, int kind, boolean exhaustive) {
        long block = lists.find(sizeBytes, exhaustive);
        if (block == 0) {
            if (!grow(sizeBytes)) {
                return 0;
            }
            block = lists.find(sizeBytes, exhaustive);
            if (block == 0) {
                throw new IllegalStateException("a new region has no room for " + sizeBytes + " B");
            }
        }
        long freeBytes = lists.sizeBytes(block);
        lists.unlink(block, freeBytes);
        setRight(block - 1, kind);
        long end = block + freeBytes;
        if (freeBytes == sizeBytes) {
            setLeft(end, kind);
        } else {
            long rest = block + sizeBytes + 1;
            vmb.setByte(rest - 1, Marker.of(kind, Marker.EDGE));
            makeFree(rest, end);
        }
        allocatedBytes += sizeBytes + 1;
        return block;
    }

    /** Frees an allocated block and merges it with its neighbours. */
    void free(long block, long sizeBytes) {
        allocatedBytes -= sizeBytes + 1;
        release(block, block + sizeBytes);
    }

    /**
     * Allocates one contiguous piece for many chunks: one search, no fragments.
     *
     * @param sizesBytes of the chunks, from an index on; those of no bytes get no block
     * @param blocks takes the addresses from index 0 on, {@link EntryLayout#EMPTY_CHUNK} for chunks of no bytes
     * @return false if there is no room for all in one piece
     */
    boolean allocateRun(int[] sizesBytes, int from, int count, long[] blocks) {
        long total = -1;
        for (int i = 0; i < count; i++) {
            int size = sizesBytes[from + i];
            total += size == 0 ? 0 : blockBytes(size) + 1;
        }
        long next = total < 0 ? 0 : allocate(total, Marker.ALLOCATED, false);
        if (next == 0 && total >= 0) {
            return false;
        }
        long end = next + total;
        for (int i = 0; i < count; i++) {
            int size = sizesBytes[from + i];
            if (size == 0) {
                blocks[i] = EntryLayout.EMPTY_CHUNK;
                continue;
            }
            int kind = Marker.chunk(size);
            blocks[i] = next;
            setRight(next - 1, kind);
            next += blockBytes(size);
            if (next < end) {
                vmb.setByte(next, Marker.of(kind, Marker.EDGE));
            } else {
                setLeft(next, kind);
            }
            next++;
        }
        return true;
    }

    /** What the block of a chunk takes, markers excluded. */
    static long blockBytes(int sizeBytes) {
        return (long) sizeBytes + EntryLayout.lengthBytes(sizeBytes);
    }

    long allocatedBytes() {
        return allocatedBytes;
    }

    FreeLists lists() {
        return lists;
    }

    List<Region> regions() {
        return regions;
    }

    /** The size of a free block, read at its front. */
    long freeSizeAtFront(long block, int kind) {
        int size = Marker.sizeWithoutField(kind);
        return size >= 0 ? size : vmb.getBytes(block, Marker.lengthBytes(kind));
    }

    /** The size of a free block, read at its end. */
    long freeSizeAtEnd(long end, int kind) {
        int size = Marker.sizeWithoutField(kind);
        int field = Marker.lengthBytes(kind);
        return size >= 0 ? size : vmb.getBytes(end - field, field);
    }

    private boolean grow(long sizeBytes) {
        int first = extents.take(sizeBytes + 2, id);
        if (first < 0) {
            return false;
        }
        long start = extents.start(first);
        long end = extents.endOf(start + sizeBytes + 1);
        int last = regions.size() - 1;
        vmb.setByte(end - 1, Marker.of(Marker.EDGE, Marker.EDGE));
        if (last >= 0 && regions.get(last).end() == start) {
            regions.set(last, new Region(regions.get(last).start(), end));
            release(start, end - 1);
        } else {
            regions.add(new Region(start, end));
            vmb.setByte(start, Marker.of(Marker.EDGE, Marker.EDGE));
            release(start + 1, end - 1);
        }
        return true;
    }

    /** Turns everything from start to end into a free block and merges it with free neighbours. */
    private void release(long start, long end) {
        long from = start;
        long to = end;
        int left = Marker.left(vmb.getByte(start - 1));
        if (Marker.isFree(left)) {
            long size = freeSizeAtEnd(start - 1, left);
            from = start - 1 - size;
            if (Marker.isTracked(left)) {
                lists.unlink(from, size);
            }
        }
        int right = Marker.right(vmb.getByte(end));
        if (Marker.isFree(right)) {
            long size = freeSizeAtFront(end + 1, right);
            to = end + 1 + size;
            if (Marker.isTracked(right)) {
                lists.unlink(end + 1, size);
            }
        }
        makeFree(from, to);
    }

    private void makeFree(long start, long end) {
        long size = end - start;
        int kind = Marker.free(size);
        setRight(start - 1, kind);
        setLeft(end, kind);
        if (size < 2) {
            return;
        }
        int field = Marker.lengthBytes(kind);
        vmb.setBytes(start, field, size);
        vmb.setBytes(end - field, field, size);
        if (Marker.isTracked(kind)) {
            lists.link(start, size);
        }
    }

    private void setLeft(long marker, int kind) {
        vmb.setByte(marker, Marker.of(kind, Marker.right(vmb.getByte(marker))));
    }

    private void setRight(long marker, int kind) {
        vmb.setByte(marker, Marker.of(Marker.left(vmb.getByte(marker)), kind));
    }
}
