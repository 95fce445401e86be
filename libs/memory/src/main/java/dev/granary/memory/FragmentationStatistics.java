package dev.granary.memory;

import java.util.List;

/**
 * How the free memory of a {@link ChunkMemory} lies.
 * A segment is what is taken from or given back to the common pool at once, as a rule one extent.
 *
 * @param extentBytes the size of an extent
 * @param freeExtents extents within the capacity that are in no segment
 * @param segments segments in use
 * @param evacuatingSegments how many of them are being emptied
 * @param whollyFreeSegments how many of them hold nothing and wait for the next allocation
 * @param whollyFreeBytes the free bytes of these
 * @param freeBlocks free blocks in all segments
 * @param smallFreeBlocks those of less than 64 B
 * @param freeBytes the sum of their sizes
 * @param classes free blocks by size, in rising order, without empty classes
 */
public record FragmentationStatistics(
        int extentBytes,
        long freeExtents,
        long segments,
        long evacuatingSegments,
        long whollyFreeSegments,
        long whollyFreeBytes,
        long freeBlocks,
        long smallFreeBlocks,
        long freeBytes,
        List<FreeClass> classes) {

    /**
     * Free blocks of similar size.
     *
     * @param minBytes the smallest size of the class; the next class begins at twice as much or less
     * @param blocks how many
     * @param bytes the sum of their sizes
     */
    public record FreeClass(long minBytes, long blocks, long bytes) {}

    /** Copies the list. */
    public FragmentationStatistics {
        classes = List.copyOf(classes);
    }

    /** Small free blocks by free blocks (DXRAM section III-B), 0 if there are none. */
    public double fragmentation() {
        return freeBlocks == 0 ? 0 : (double) smallFreeBlocks / freeBlocks;
    }

    /** Which share of all free bytes lies in free extents and wholly free segments, 1 if nothing is free. */
    public double wholeFreeSegmentsShare() {
        double whole = (double) freeExtents * extentBytes + whollyFreeBytes;
        double all = (double) freeExtents * extentBytes + freeBytes;
        return all == 0 ? 1 : whole / all;
    }
}
