package dev.granary.memory;

import java.util.List;

/**
 * What a walk over heap and tables found.
 *
 * @param blocks allocated blocks, tables included
 * @param freeBlocks free blocks of any size
 * @param chunks entries that hold a chunk
 * @param violations one line for each broken invariant, at most {@link #MAX_VIOLATIONS}; empty when all is well
 */
public record VerifierReport(long blocks, long freeBlocks, long chunks, List<String> violations) {

    /** More than this many violations are not listed. */
    public static final int MAX_VIOLATIONS = 100;

    /** Takes a copy of the list. */
    public VerifierReport {
        violations = List.copyOf(violations);
    }

    /**
     * Does nothing when all is well.
     *
     * @throws IllegalStateException listing the violations
     */
    public void throwIfBroken() {
        if (!violations.isEmpty()) {
            throw new IllegalStateException("chunk memory is damaged:\n  " + String.join("\n  ", violations));
        }
    }
}
