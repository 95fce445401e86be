package dev.granary.memory.arena;

import dev.granary.memory.os.Vmb;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Allocates blocks of exact size, unaligned unless asked for, with one marker byte between two of them, in the segments
 * of one part of the VMB (DXMem section V-A; segments: DXRAM section III-B and ADR 0016). All methods under the lock of
 * the stripe that it belongs to. What a new block contains is undefined.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A segment begins and ends with a marker; between two blocks there is exactly one, whose halves tell the truth.
 *   <li>No two free blocks are neighbours.
 *   <li>A free block is in a list if and only if it has 14 bytes or more: in the list for its size, or, in a segment
 *       that is being evacuated, perhaps in the parking list.
 *   <li>A free block of 2 bytes or more has its size at both ends.
 *   <li>{@link #allocatedBytes} counts every allocated block with its padding, and one marker byte for each.
 *   <li>At the end of a segment there is no free block of less than 64 bytes: the last marker stands before what would
 *       be one, its tail, until its left neighbour is freed.
 *   <li>At most one segment of one extent is wholly free; a longer one, or one that is being evacuated, never is.
 * </ol>
 */
public final class BlockArena {

    /** A segment: first marker byte, and end behind the last one. */
    record Region(long start, long end) {}

    private static final VarHandle ALLOCATED_BYTES;
    private static final VarHandle SEGMENT_COUNT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            ALLOCATED_BYTES = lookup.findVarHandle(BlockArena.class, "allocatedBytes", long.class);
            SEGMENT_COUNT = lookup.findVarHandle(BlockArena.class, "segmentCount", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Vmb vmb;
    private final Extents extents;
    private final Segments segments;
    private final int id;
    private final FreeLists lists;
    private final FreeCounts counts = new FreeCounts();
    private long allocatedBytes;
    private int segmentCount;

    /** The segment that was wholly free last. It may no longer be, or no longer belong to this arena. */
    private int spare = Extents.NONE;

    public BlockArena(Vmb vmb, Extents extents, int id, long anchors) {
        this.vmb = vmb;
        this.extents = extents;
        this.segments = extents.segments();
        this.id = id;
        this.lists = new FreeLists(vmb, extents, anchors);
    }

    /**
     * Allocates a block.
     *
     * @param sizeBytes at least 1
     * @param kind of the allocated block in its marker bytes
     * @param exhaustive whether to search for long before giving up
     * @return the block's address, or 0 if there is no room
     */
    public long allocate(long sizeBytes, int kind, boolean exhaustive) {
        return allocateAligned(sizeBytes, 1, kind, exhaustive);
    }

    /**
     * Allocates a block at an address that is a multiple of something. Padding in front of it, less than the alignment,
     * belongs to the block. It is freed like any other.
     *
     * @param sizeBytes at least 1
     * @param alignmentBytes a power of two up to {@link Marker#MAX_ALIGNMENT_BYTES}
     * @param kind of the allocated block in its marker bytes
     * @param exhaustive whether to search for long before giving up
     * @return the block's address, or 0 if there is no room
     */
    public long allocateAligned(long sizeBytes, int alignmentBytes, int kind, boolean exhaustive) {
        return allocate(sizeBytes, alignmentBytes, kind, exhaustive, false);
    }

    /**
     * The same so that no free block of less than 64 bytes is left: for blocks that are moved together. A small rest
     * becomes padding instead, except in front of chunks with length bytes, whose marker must be next to them.
     */
    public long allocateTidy(long sizeBytes, int alignmentBytes, int kind) {
        return allocate(sizeBytes, alignmentBytes, kind, false, kind == Marker.ALLOCATED || kind >= Marker.TABLE);
    }

    private long allocate(long sizeBytes, int alignmentBytes, int kind, boolean exhaustive, boolean tidy) {
        long mask = alignmentBytes - 1L;
        long block = lists.find(sizeBytes, mask, exhaustive, tidy);
        if (block == 0) {
            block = grow(sizeBytes + mask);
            if (block == 0) {
                return 0;
            }
        }
        long padding = -block & mask;
        if (tidy) {
            long rest = lists.sizeBytes(block) - sizeBytes - padding;
            if (rest <= Segments.SMALL_BYTES && FreeLists.isTidy(rest, padding, mask)) {
                padding += rest;
            }
        }
        long usedBytes = padding + sizeBytes;
        carve(block, usedBytes, kind);
        if (padding > 0) {
            vmb.setByte(block + padding - 1, Marker.padding((int) padding));
        }
        setAllocatedBytes(allocatedBytes + usedBytes + 1);
        return block + padding;
    }

    /** Turns the front of a free block in a list into an allocated one. */
    private void carve(long block, long usedBytes, int kind) {
        long freeBytes = lists.sizeBytes(block);
        int segment = extents.segmentOf(block);
        long end = block + freeBytes;
        long rest = block + usedBytes + 1;
        if (end - rest >= Segments.SMALL_BYTES && FreeLists.listOf(end - rest) == FreeLists.listOf(freeBytes)) {
            // The usual case, made fast: the rest takes the block's place in its list.
            long next = lists.next(block);
            long previous = lists.previous(block);
            segments.shrink(segment, usedBytes + 1);
            counts.shrink(freeBytes, usedBytes + 1);
            setRight(block - 1, kind);
            int restKind = Marker.free(end - rest);
            vmb.setByte(rest - 1, Marker.of(kind, restKind));
            setLeft(end, restKind);
            writeSizes(rest, end, restKind);
            lists.replace(rest, end - rest, next, previous);
            return;
        }
        lists.unlink(block, freeBytes);
        uncount(segment, freeBytes);
        setRight(block - 1, kind);
        if (freeBytes == usedBytes) {
            setLeft(end, kind);
        } else if (end - rest < Segments.SMALL_BYTES && Marker.right(vmb.getByte(end)) == Marker.EDGE) {
            vmb.setByte(rest - 1, Marker.of(kind, Marker.EDGE));
            segments.setTailBytes(segment, (int) (end + 1 - rest));
        } else {
            vmb.setByte(rest - 1, Marker.of(kind, Marker.EDGE));
            makeFree(segment, rest, end);
        }
    }

    /** Frees an allocated block and merges it with its neighbours. */
    public void free(long block, long sizeBytes) {
        long start = block - Marker.paddingBytes(vmb.getByte(block - 1));
        long end = block + sizeBytes;
        setAllocatedBytes(allocatedBytes - (end - start + 1));
        release(start, end);
    }

    /**
     * Allocates one contiguous piece for many chunks: one search, no fragments.
     *
     * @param sizesBytes of the chunks, from an index on; those of no bytes get no block
     * @param blocks takes the addresses from index 0 on, {@link EntryLayout#EMPTY_CHUNK} for chunks of no bytes
     * @return false if there is no room for all in one piece, or it would be longer than an extent
     */
    public boolean allocateRun(int[] sizesBytes, int from, int count, long[] blocks) {
        long total = -1;
        for (int i = 0; i < count; i++) {
            int size = sizesBytes[from + i];
            total += size == 0 ? 0 : Chunks.blockBytes(size) + 1;
        }
        if (total > extents.extentBytes() - 2) {
            return false;
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
            next += Chunks.blockBytes(size);
            if (next < end) {
                vmb.setByte(next, Marker.of(kind, Marker.EDGE));
            } else {
                setLeft(next, kind);
            }
            next++;
        }
        return true;
    }

    /** Takes segments and lists as they are, after the VMB was loaded. The free counts have been restored. */
    public void restore(long allocated) {
        setAllocatedBytes(allocated);
        lists.restore();
        for (int i = extents.next(0, id); i != Extents.NONE; i = extents.next(i + 1, id)) {
            SEGMENT_COUNT.setOpaque(this, segmentCount + 1);
            if (isWhollyFree(i)) {
                spare = i;
            }
        }
    }

    /** The bytes of allocated blocks. Anybody may ask; without the lock it is what they were a moment ago. */
    public long allocatedBytes() {
        return (long) ALLOCATED_BYTES.getOpaque(this);
    }

    private void setAllocatedBytes(long bytes) {
        ALLOCATED_BYTES.setOpaque(this, bytes);
    }

    public FreeLists lists() {
        return lists;
    }

    /** Its free blocks by class. */
    public FreeCounts freeCounts() {
        return counts;
    }

    public int id() {
        return id;
    }

    /** How many segments it has. Anybody may ask; without the lock it is how many it had a moment ago. */
    public int segmentCount() {
        return (int) SEGMENT_COUNT.getOpaque(this);
    }

    /** Its segments by address. */
    List<Region> regions() {
        List<Region> regions = new ArrayList<>();
        for (int i = extents.next(0, id); i != Extents.NONE; i = extents.next(i + 1, id)) {
            regions.add(new Region(extents.start(i), extents.end(i) - segments.tailBytes(i)));
        }
        return regions;
    }

    /** Whether a segment is one free block. */
    boolean isWhollyFree(int segment) {
        return segments.freeBlocks(segment) == 1
                && segments.freeBytes(segment) == extents.end(segment) - extents.start(segment) - 2;
    }

    /**
     * From now on nothing is allocated in a segment, and when everything in it has been freed it is released.
     *
     * @return false if it is no segment of this arena (any more), or is being evacuated already
     */
    public boolean startEvacuation(int segment) {
        if (!extents.isSegment(segment, id) || segments.isEvacuating(segment)) {
            return false;
        }
        if (isWhollyFree(segment)) {
            releaseFree(segment);
        } else {
            segments.setEvacuating(segment, true);
            lists.startEvacuation();
        }
        return true;
    }

    /** Gives a segment that is being evacuated to allocation again. Others are left as they are. */
    public void stopEvacuation(int segment) {
        if (extents.isSegment(segment, id) && segments.isEvacuating(segment)) {
            segments.setEvacuating(segment, false);
            lists.stopEvacuation(segment);
        }
    }

    /** Releases the segment that is kept for the next allocation, if there is one. */
    public void trim() {
        if (hasSpare()) {
            releaseFree(spare);
        }
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

    /** Takes a segment with a free block of at least this size. Returns the block, or 0 if there is none. */
    private long grow(long sizeBytes) {
        int segment = extents.take(sizeBytes + 2, id);
        if (segment == Extents.NONE) {
            return 0;
        }
        long start = extents.start(segment);
        long end = extents.end(segment);
        vmb.setByte(start, Marker.of(Marker.EDGE, Marker.EDGE));
        vmb.setByte(end - 1, Marker.of(Marker.EDGE, Marker.EDGE));
        makeFree(segment, start + 1, end - 1);
        SEGMENT_COUNT.setOpaque(this, segmentCount + 1);
        return start + 1;
    }

    /** Turns everything from start to end into a free block and merges it with free neighbours. */
    private void release(long start, long end) {
        int segment = extents.segmentOf(start);
        long from = start;
        long to = end;
        int left = Marker.left(vmb.getByte(start - 1));
        if (Marker.isFree(left)) {
            long size = freeSizeAtEnd(start - 1, left);
            from = start - 1 - size;
            takeFree(segment, from, size, left);
            left = Marker.left(vmb.getByte(from - 1));
        }
        int right = Marker.right(vmb.getByte(end));
        if (Marker.isFree(right)) {
            long size = freeSizeAtFront(end + 1, right);
            to = end + 1 + size;
            takeFree(segment, end + 1, size, right);
            right = Marker.right(vmb.getByte(to));
        } else if (right == Marker.EDGE && segments.tailBytes(segment) > 0) {
            to = end + segments.tailBytes(segment);
            vmb.setByte(to, Marker.of(Marker.EDGE, Marker.EDGE));
            segments.setTailBytes(segment, 0);
        }
        if (left == Marker.EDGE && right == Marker.EDGE && !keeps(segment)) {
            drop(segment);
        } else {
            makeFree(segment, from, to);
        }
    }

    /** Whether a segment that has become free stays with this arena: so that nobody takes and releases all the time. */
    private boolean keeps(int segment) {
        if (segments.isEvacuating(segment)
                || hasSpare()
                || extents.end(segment) - extents.start(segment) > extents.extentBytes()) {
            return false;
        }
        spare = segment;
        return true;
    }

    private boolean hasSpare() {
        return spare != Extents.NONE && extents.isSegment(spare, id) && isWhollyFree(spare);
    }

    private void releaseFree(int segment) {
        long block = extents.start(segment) + 1;
        long size = segments.freeBytes(segment);
        lists.unlink(block, size);
        uncount(segment, size);
        drop(segment);
    }

    /** Gives a segment up. None of its blocks is in a list. */
    private void drop(int segment) {
        if (segments.isEvacuating(segment)) {
            lists.endEvacuation();
        }
        SEGMENT_COUNT.setOpaque(this, segmentCount - 1);
        extents.release(segment);
    }

    private void takeFree(int segment, long block, long sizeBytes, int kind) {
        uncount(segment, sizeBytes);
        if (Marker.isTracked(kind)) {
            lists.unlink(block, sizeBytes);
        }
    }

    private void uncount(int segment, long sizeBytes) {
        segments.remove(segment, sizeBytes);
        counts.remove(sizeBytes);
    }

    private void makeFree(int segment, long start, long end) {
        long size = end - start;
        int kind = Marker.free(size);
        segments.add(segment, size);
        counts.add(size);
        setRight(start - 1, kind);
        setLeft(end, kind);
        if (size < 2) {
            return;
        }
        writeSizes(start, end, kind);
        if (Marker.isTracked(kind)) {
            lists.link(start, size);
        }
    }

    private void writeSizes(long start, long end, int kind) {
        int field = Marker.lengthBytes(kind);
        vmb.setBytes(start, field, end - start);
        vmb.setBytes(end - field, field, end - start);
    }

    private void setLeft(long marker, int kind) {
        vmb.setByte(marker, Marker.of(kind, Marker.right(vmb.getByte(marker))));
    }

    private void setRight(long marker, int kind) {
        vmb.setByte(marker, Marker.of(Marker.left(vmb.getByte(marker)), kind));
    }
}
