package dev.granary.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * How the free memory of a {@link ChunkMemory} lies. A segment is what is taken from or given back to the common pool at
 * once, as a rule one extent.
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

    /** Adds up the figures of arenas, one after the other, each under its lock. */
    static final class Sum {

        private final Extents extents;
        private final FreeCounts counts = new FreeCounts();
        private long used;
        private long evacuating;
        private long whollyFree;
        private long whollyFreeBytes;
        private long smallBlocks;

        Sum(Extents extents) {
            this.extents = extents;
        }

        /** Under the arena's lock. */
        void add(BlockArena arena) {
            arena.freeCounts().addTo(counts);
            Segments segments = extents.segments();
            for (int i = extents.next(0, arena.id()); i != Extents.NONE; i = extents.next(i + 1, arena.id())) {
                used++;
                smallBlocks += segments.smallFreeBlocks(i);
                evacuating += segments.isEvacuating(i) ? 1 : 0;
                if (arena.isWhollyFree(i)) {
                    whollyFree++;
                    whollyFreeBytes += segments.freeBytes(i);
                }
            }
        }

        FragmentationStatistics result() {
            List<FreeClass> classes = new ArrayList<>();
            long blocks = 0;
            long bytes = 0;
            for (int i = 0; i < FreeCounts.CLASSES; i++) {
                blocks += counts.blocks(i);
                bytes += counts.bytes(i);
                if (counts.blocks(i) > 0) {
                    classes.add(new FreeClass(FreeCounts.minBytes(i), counts.blocks(i), counts.bytes(i)));
                }
            }
            return new FragmentationStatistics(
                    extents.extentBytes(),
                    extents.freeExtents(),
                    used,
                    evacuating,
                    whollyFree,
                    whollyFreeBytes,
                    blocks,
                    smallBlocks,
                    bytes,
                    classes);
        }
    }
}
