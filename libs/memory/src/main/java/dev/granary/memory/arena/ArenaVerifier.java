package dev.granary.memory.arena;

import dev.granary.memory.VerifierReport;
import dev.granary.memory.os.LongList;
import dev.granary.memory.os.Vmb;
import java.util.List;

/**
 * Walks the segments and free lists of one arena, block by block, and checks the invariants of {@link BlockArena}. The
 * sizes of allocated blocks come from their owners: together with free blocks and markers they must fill each segment
 * exactly. Under the arena's lock.
 */
public final class ArenaVerifier {

    private final Vmb vmb;
    private final Extents extents;
    private final BlockArena arena;
    private final AllocatedBlocks allocated;
    private final List<String> violations;

    /** Free blocks of 14 bytes or more. */
    private final LongList tracked = new LongList();

    private final FreeCounts counts = new FreeCounts();
    private long allocatedBlocks;
    private long allocatedBytes;
    private long freeBlocks;
    private long segmentFreeBlocks;
    private long segmentSmallBlocks;
    private long segmentFreeBytes;
    private int whollyFree;

    /**
     * A verifier.
     *
     * @param allocated all allocated blocks of all arenas, sorted
     * @param violations takes what is wrong, in words
     */
    public ArenaVerifier(
            Vmb vmb, Extents extents, BlockArena arena, AllocatedBlocks allocated, List<String> violations) {
        this.vmb = vmb;
        this.extents = extents;
        this.arena = arena;
        this.allocated = allocated;
        this.violations = violations;
    }

    /** Checks everything, once. */
    public void verify() {
        List<BlockArena.Region> regions = arena.regions();
        for (BlockArena.Region region : regions) {
            verify(region);
        }
        expect("segments", arena.segmentCount(), regions.size());
        expect("allocated bytes", arena.allocatedBytes(), allocatedBytes);
        if (whollyFree > 1) {
            violation("%d segments are wholly free".formatted(whollyFree));
        }
        for (int i = 0; i < FreeCounts.CLASSES; i++) {
            expect("free blocks of class " + i, arena.freeCounts().blocks(i), counts.blocks(i));
            expect("free bytes of class " + i, arena.freeCounts().bytes(i), counts.bytes(i));
        }
        long inLists = 0;
        for (int list = 0; list <= FreeLists.PARKED; list++) {
            inLists += walkList(list);
        }
        expect("free blocks in lists", tracked.size(), inLists);
    }

    /** How many allocated blocks the walk met. */
    public long allocatedBlocks() {
        return allocatedBlocks;
    }

    /** How many free blocks the walk met. */
    public long freeBlocks() {
        return freeBlocks;
    }

    private void verify(BlockArena.Region region) {
        segmentFreeBlocks = 0;
        segmentSmallBlocks = 0;
        segmentFreeBytes = 0;
        if (!walk(region)) {
            return;
        }
        int segment = extents.segmentOf(region.start());
        Segments segments = extents.segments();
        expect("free blocks of segment " + segment, segments.freeBlocks(segment), segmentFreeBlocks);
        expect("small free blocks of segment " + segment, segments.smallFreeBlocks(segment), segmentSmallBlocks);
        expect("free bytes of segment " + segment, segments.freeBytes(segment), segmentFreeBytes);
        if (segmentFreeBytes == region.end() - region.start() - 2) {
            whollyFree++;
            if (segments.isEvacuating(segment) || region.end() - region.start() > extents.extentBytes()) {
                violation("segment %d is wholly free and has not been released".formatted(segment));
            }
        }
    }

    /** Returns whether the walk came to the end. */
    private boolean walk(BlockArena.Region region) {
        long marker = region.start();
        int left = Marker.EDGE;
        while (true) {
            int value = vmb.getByte(marker);
            if (Marker.left(value) != left) {
                violation("marker 0x%x says %d of its left, which is %d".formatted(marker, Marker.left(value), left));
                return false;
            }
            int kind = Marker.right(value);
            long block = marker + 1;
            if (kind == Marker.EDGE) {
                if (block != region.end()) {
                    violation("segment ends at 0x%x, not at 0x%x".formatted(block, region.end()));
                }
                return block == region.end();
            }
            if (Marker.isFree(kind) && Marker.isFree(left)) {
                violation("two free blocks are neighbours at 0x%x".formatted(marker));
            }
            long size = Marker.isFree(kind) ? checkFree(block, kind) : checkAllocated(block, kind);
            if (size < 0 || size > region.end() - 1 - block) {
                violation("block 0x%x of kind %d: the walk ends here".formatted(block, kind));
                return false;
            }
            marker = block + size;
            left = kind;
        }
    }

    /** Returns the size with padding, or -1 if it cannot be told. */
    private long checkAllocated(long start, int kind) {
        int index = allocated.indexAtOrBehind(start);
        long block = index < 0 ? start : allocated.address(index);
        int padding = Marker.paddingBytes(vmb.getByte(block - 1));
        if (index < 0 || start + padding != block) {
            violation("block 0x%x of kind %d belongs to nobody".formatted(start, kind));
            return -1;
        }
        if (!Marker.isAllocated(kind) || allocated.kind(index) != kind) {
            violation("block 0x%x has kind %d, its owner says %d".formatted(block, kind, allocated.kind(index)));
        }
        allocatedBlocks++;
        long size = padding + allocated.sizeBytes(index);
        allocatedBytes += size + 1;
        return size;
    }

    private long checkFree(long block, int kind) {
        long size = arena.freeSizeAtFront(block, kind);
        if (Marker.free(size) != kind) {
            violation("free block 0x%x of %d B has kind %d".formatted(block, size, kind));
            return -1;
        }
        if (arena.freeSizeAtEnd(block + size, kind) != size) {
            violation("free block 0x%x has two sizes".formatted(block));
        }
        if (Marker.isTracked(kind)) {
            tracked.add(block);
        }
        counts.add(size);
        freeBlocks++;
        segmentFreeBlocks++;
        segmentFreeBytes += size;
        segmentSmallBlocks += size < Segments.SMALL_BYTES ? 1 : 0;
        return size;
    }

    private long walkList(int list) {
        FreeLists lists = arena.lists();
        long count = 0;
        long previous = 0;
        for (long block = lists.first(list); block != 0; block = lists.next(block)) {
            count++;
            // Segments are walked by address, so the list is sorted.
            if (count > tracked.size() || !tracked.contains(block)) {
                violation("list %d has 0x%x, which is no free block".formatted(list, block));
                return count;
            }
            boolean evacuating = extents.segments().isEvacuating(extents.segmentOf(block));
            if (list == FreeLists.PARKED ? !evacuating : FreeLists.listOf(lists.sizeBytes(block)) != list) {
                violation("list %d has 0x%x of %d B".formatted(list, block, lists.sizeBytes(block)));
            }
            if (lists.previous(block) != previous) {
                violation("list %d: 0x%x does not point back to 0x%x".formatted(list, block, previous));
            }
            previous = block;
        }
        if (count > 0 != lists.isFilled(list)) {
            violation("list %d has %d blocks, its bit says otherwise".formatted(list, count));
        }
        return count;
    }

    private void expect(String what, long expected, long found) {
        if (expected != found) {
            violation("%s of arena %d: expected %d, found %d".formatted(what, arena.id(), expected, found));
        }
    }

    private void violation(String text) {
        if (violations.size() < VerifierReport.MAX_VIOLATIONS) {
            violations.add(text);
        }
    }
}
