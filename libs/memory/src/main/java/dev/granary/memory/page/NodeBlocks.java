package dev.granary.memory.page;

import dev.granary.memory.arena.BlockArena;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.os.Vmb;

/**
 * Blocks for the nodes of page tables. They never move, so they have segments of their own: one in every segment would
 * keep all of them from ever becoming free. Only when no segment is left they are allocated among other blocks.
 * Thread-safe; the caller may hold a stripe's lock.
 */
public final class NodeBlocks {

    /** A memory of fewer extents than these has none to spare. */
    private static final int MIN_EXTENTS = 64;

    private final BlockArena arena;
    private final SparsePages sparse;
    private final boolean separate;

    NodeBlocks(Vmb vmb, Extents extents, SparsePages sparse, int id, long anchors) {
        this.sparse = sparse;
        this.arena = new BlockArena(vmb, extents, id, anchors);
        this.separate = extents.count() >= MIN_EXTENTS;
    }

    /**
     * Allocates a node.
     *
     * @param other where to allocate it if there is no segment left; the caller holds its lock
     * @param exhaustive whether to search that for long
     * @return its address, or 0 if there is no room
     */
    public long allocate(long sizeBytes, int alignment, BlockArena other, boolean exhaustive) {
        long node = find(sizeBytes, alignment, other, exhaustive);
        if (node != 0) {
            sparse.fix(node);
        }
        return node;
    }

    private long find(long sizeBytes, int alignment, BlockArena other, boolean exhaustive) {
        if (separate) {
            synchronized (this) {
                long node = arena.allocateAligned(sizeBytes, alignment, Marker.TABLE, true);
                if (node != 0) {
                    return node;
                }
            }
        }
        return other.allocateAligned(sizeBytes, alignment, Marker.TABLE, exhaustive);
    }

    /** For checks, while holding this object's monitor, and for figures that anybody may ask for. */
    public BlockArena arena() {
        return arena;
    }
}
