package dev.granary.overlay.tree;

import dev.granary.overlay.Placement;

/** Visits ranges in ascending order. Must not change the tree that it visits. */
@FunctionalInterface
public interface RangeVisitor {

    /**
     * Visits one range.
     *
     * @param startCid the first CID
     * @param endCidInclusive the last CID
     * @param placement who holds the chunks
     */
    void visit(long startCid, long endCidInclusive, Placement placement);
}
