package dev.granary.overlay.tree;

import dev.granary.overlay.Placement;

/** Is told ranges in ascending order. Must not change what it is told about. */
@FunctionalInterface
public interface RangeVisitor {

    /**
     * Is told one range.
     *
     * @param startCid the first CID
     * @param endCidInclusive the last CID
     * @param placement who holds the chunks
     */
    void visit(long startCid, long endCidInclusive, Placement placement);
}
