package dev.granary.memory.map;

import java.util.List;

/**
 * What a walk over all groups and slabs of an {@link OffHeapMap} found.
 *
 * @param entries entries in groups
 * @param blocks blocks in use
 * @param freeBlocks blocks in lists of free ones
 * @param violations one line for each broken invariant, at most {@link #MAX_VIOLATIONS}; empty when all is well
 */
public record OffHeapMapReport(long entries, long blocks, long freeBlocks, List<String> violations) {

    /** More than this many violations are not listed. */
    public static final int MAX_VIOLATIONS = 100;

    /** Takes a copy of the list. */
    public OffHeapMapReport {
        violations = List.copyOf(violations);
    }

    /**
     * Does nothing when all is well.
     *
     * @throws IllegalStateException listing the violations
     */
    public void throwIfBroken() {
        if (!violations.isEmpty()) {
            throw new IllegalStateException("the off-heap map is damaged:\n  " + String.join("\n  ", violations));
        }
    }
}
