package dev.granary.memory;

/**
 * What a defragmentation has done.
 *
 * @param movedBlocks blocks that were copied to other places: pages, groups, chunks in blocks of their own, bookkeeping
 * @param movedBytes the sum of their sizes
 * @param packedPages pages with few chunks whose chunks were put together
 * @param releasedSegments segments that became free and can be used for anything
 * @param nanos how long it took
 * @param isComplete whether nothing is left that would be worth it
 */
public record DefragmentationReport(
        long movedBlocks, long movedBytes, long packedPages, long releasedSegments, long nanos, boolean isComplete) {}
