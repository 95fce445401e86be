package dev.granary.overlay.tree;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The regions of a {@link RunTree} by number. Region numbers are negative, those of placements are not. */
final class RegionTable {

    private static final int ARRAY_HEADER_BYTES = 16;
    private static final int REFERENCE_BYTES = 4;

    private @Nullable Region[] regions = new Region[4];
    private int size;

    /** Below this index there is no free place. */
    private int firstFree;

    /** Whether a number of a {@link BoundaryTree} means a region. */
    static boolean isRegion(int ref) {
        return ref < 0;
    }

    /** The region with a number. */
    Region get(int ref) {
        Region region = regions[~ref];
        if (region == null) {
            throw new IllegalStateException("there is no region " + ref);
        }
        return region;
    }

    /** Keeps a region and returns its number. */
    int add(Region region) {
        while (firstFree < regions.length && regions[firstFree] != null) {
            firstFree++;
        }
        if (firstFree == regions.length) {
            regions = Arrays.copyOf(regions, firstFree + 4 + firstFree / 8);
        }
        regions[firstFree] = region;
        size++;
        return ~firstFree;
    }

    void remove(int ref) {
        regions[~ref] = null;
        firstFree = Math.min(firstFree, ~ref);
        size--;
    }

    int size() {
        return size;
    }

    long footprintBytes() {
        long bytes = ARRAY_HEADER_BYTES + (long) REFERENCE_BYTES * regions.length;
        for (Region region : regions) {
            bytes += region == null ? 0 : region.footprintBytes();
        }
        return bytes;
    }
}
