package dev.granary.overlay.tree;

/**
 * A span of CIDs that share one number.
 *
 * @param start the first CID
 * @param end the last CID
 * @param ref the number of a placement, {@link PlacementTable#NONE} or, inside a {@link BoundaryTree}, of a region
 */
record Run(long start, long end, int ref) {}
