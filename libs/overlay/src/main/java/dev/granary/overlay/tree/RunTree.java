package dev.granary.overlay.tree;

import dev.granary.overlay.Cid;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The number of a placement, or {@link PlacementTable#NONE}, for every CID: a {@link BoundaryTree} in which dense
 * places are replaced by {@link Region}s. A region has one boundary, at its first CID; the next boundary stands behind
 * its last one. Regions come and go by themselves; nobody outside sees them.
 *
 * <p>Invariants besides those of the parts, all checked by {@link #verify}:
 *
 * <ol>
 *   <li>Two neighbouring boundaries have different numbers.
 *   <li>A region covers exactly the CIDs from a multiple of {@link Region#SIZE} to before the next one.
 *   <li>Boundaries refer to each region once, and every region is referred to.
 *   <li>Each boundary with a placement, and each placement in use in a region, is one reference to its record.
 * </ol>
 *
 * <p>Not thread-safe. A racing reader's search ends, but may throw or answer nonsense.
 */
final class RunTree {

    private static final long PLACE_MASK = Region.SIZE - 1;

    /** The tree tries a region when the number of boundaries near it in a leaf is a multiple of this, or one more. */
    private static final int TRY_STEP = Region.MIN_RUNS;

    private final BoundaryTree boundaries;
    private final RegionTable regions = new RegionTable();
    private final PlacementTable placements;

    RunTree(int leafMax, int innerMax, PlacementTable placements) {
        boundaries = new BoundaryTree(leafMax, innerMax);
        this.placements = placements;
    }

    /** The number of a CID's placement. */
    int refAt(long cid) {
        int ref = boundaries.refAt(cid);
        return RegionTable.isRegion(ref) ? regions.get(ref).refAt(placeOf(cid)) : ref;
    }

    /** The longest run of one number around a CID. */
    Run runAt(long cid) {
        Run segment = boundaries.runAt(cid);
        if (regions.size() == 0) {
            return segment;
        }
        Run run = inSegment(segment, cid);
        long start = run.start();
        long end = run.end();
        long segmentStart = segment.start();
        while (start == segmentStart && start != 0) {
            Run left = boundaries.runAt(start - 1);
            segmentStart = left.start();
            left = inSegment(left, start - 1);
            if (left.ref() != run.ref()) {
                break;
            }
            start = left.start();
        }
        long segmentEnd = segment.end();
        while (end == segmentEnd && end != -1L) {
            Run right = boundaries.runAt(end + 1);
            segmentEnd = right.end();
            right = inSegment(right, end + 1);
            if (right.ref() != run.ref()) {
                break;
            }
            end = right.end();
        }
        return new Run(start, end, run.ref());
    }

    /** The run around a CID as far as it lies in the span of one boundary. */
    private Run inSegment(Run segment, long cid) {
        if (!RegionTable.isRegion(segment.ref())) {
            return segment;
        }
        Region region = regions.get(segment.ref());
        int place = placeOf(cid);
        long first = regionStart(cid);
        return new Run(first + region.runStart(place), first + region.runEnd(place), region.refAt(place));
    }

    /**
     * Gives every CID of a span a number, whatever it had before. The caller holds a reference to it.
     *
     * @param start the first CID, at least 1
     * @param end the last CID
     */
    void assign(long start, long end, int ref) {
        long first = start;
        long last = end;
        int startRef = boundaries.refAt(start);
        boolean startsInside = RegionTable.isRegion(startRef)
                && (start != regionStart(start) || Long.compareUnsigned(end, regionEnd(start)) < 0);
        if (startsInside) {
            long regionEnd = regionEnd(start);
            if (Long.compareUnsigned(end, regionEnd) <= 0) {
                assignInRegion(start, end, ref);
                return;
            }
            assignInRegion(start, regionEnd, ref);
            first = regionEnd + 1;
        }
        // What is left begins at the region's first CID or before it.
        if (RegionTable.isRegion(boundaries.refAt(last)) && last != regionEnd(last)) {
            long regionStart = regionStart(last);
            assignInRegion(regionStart, last, ref);
            if (regionStart == first) {
                return;
            }
            last = regionStart - 1;
        }
        assignOutside(first, last, ref);
        makeRegionAt(first);
        if (regionStart(first) != regionStart(last)) {
            makeRegionAt(last);
        }
    }

    /** Assigns inside one region; it turns into boundaries when it has become sparse or has no code left. */
    private void assignInRegion(long start, long end, int ref) {
        int regionRef = boundaries.refAt(start);
        Region region = regions.get(regionRef);
        if (!region.assign(placeOf(start), placeOf(end), ref, placements)) {
            dissolve(regionStart(start));
            assignOutside(start, end, ref);
        } else if (region.isTooSparse()) {
            dissolve(regionStart(start));
        }
    }

    /** Assigns a span. Neither of its ends lies inside a region that reaches beyond the span. */
    private void assignOutside(long start, long end, int ref) {
        int refBefore = boundaries.refAt(start - 1);
        long after = end + 1;
        int refAfter = after == 0 ? PlacementTable.NONE : boundaries.refAt(after);
        if (RegionTable.isRegion(refAfter)) {
            removeBoundaries(start, end);
        } else {
            placements.retain(refAfter);
            removeBoundaries(start, after == 0 ? end : after);
            if (after != 0 && refAfter != ref) {
                insertBoundary(after, refAfter);
            }
            placements.release(refAfter);
        }
        if (ref != refBefore) {
            insertBoundary(start, ref);
        }
    }

    /** Turns the region that starts at a CID into boundaries. */
    private void dissolve(long first) {
        int regionRef = boundaries.remove(first);
        Region region = regions.get(regionRef);
        regions.remove(regionRef);
        int previous = boundaries.refAt(first - 1);
        int place = 0;
        while (place < Region.SIZE) {
            int ref = region.refAt(place);
            if (ref != previous) {
                insertBoundary(first + place, ref);
            }
            previous = ref;
            place = region.runEnd(place) + 1;
        }
        long after = first + Region.SIZE;
        if (after != 0 && boundaries.refAt(after) == previous && boundaries.contains(after)) {
            removeBoundary(after);
        }
        region.releaseAll(placements);
    }

    /** Makes a region around a CID when there is none and boundaries are dense there. */
    private void makeRegionAt(long cid) {
        long first = regionStart(cid);
        int near = boundaries.countNear(cid, first, regionEnd(cid));
        if (near < TRY_STEP || near % TRY_STEP > 1 || RegionTable.isRegion(boundaries.refAt(cid))) {
            return;
        }
        Region region = regionOfBoundaries(first);
        if (region == null) {
            return;
        }
        long after = first + Region.SIZE;
        int refAfter = after == 0 ? PlacementTable.NONE : boundaries.refAt(after);
        boolean borderAfter = after == 0 || boundaries.contains(after);
        placements.retain(borderAfter ? PlacementTable.NONE : refAfter);
        removeBoundaries(first, first + Region.SIZE - 1);
        boundaries.insert(first, regions.add(region));
        if (!borderAfter) {
            insertBoundary(after, refAfter);
            placements.release(refAfter);
        }
    }

    private @Nullable Region regionOfBoundaries(long first) {
        int[] starts = new int[4 * Region.MIN_RUNS];
        int[] refs = new int[starts.length];
        int count = 0;
        int place = 0;
        while (place < Region.SIZE) {
            Run run = boundaries.runAt(first + place);
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, 2 * count);
                refs = Arrays.copyOf(refs, 2 * count);
            }
            starts[count] = place;
            refs[count++] = run.ref();
            long length = run.end() - (first + place) + 1;
            place = length <= 0 || length > Region.SIZE ? Region.SIZE : place + (int) length;
        }
        return Region.of(starts, refs, count, placements);
    }

    private void insertBoundary(long key, int ref) {
        boundaries.insert(key, ref);
        placements.retain(ref);
    }

    /** Removes the boundaries of a span, and the regions that they stand for. */
    private void removeBoundaries(long start, long end) {
        long key = boundaries.higherKey(start - 1);
        while (key != 0 && Long.compareUnsigned(key, end) <= 0) {
            removeBoundary(key);
            key = boundaries.higherKey(start - 1);
        }
    }

    private void removeBoundary(long key) {
        int ref = boundaries.remove(key);
        if (RegionTable.isRegion(ref)) {
            regions.get(ref).releaseAll(placements);
            regions.remove(ref);
        } else {
            placements.release(ref);
        }
    }

    /** The number of regions. */
    int regionCount() {
        return regions.size();
    }

    /** The region that a CID lies in, for tests and measurements. */
    @Nullable
    Region regionAt(long cid) {
        int ref = boundaries.refAt(cid);
        return RegionTable.isRegion(ref) ? regions.get(ref) : null;
    }

    /** The bytes of heap of boundaries and regions. */
    long footprintBytes() {
        return boundaries.footprintBytes() + regions.footprintBytes();
    }

    /**
     * Checks every invariant and calls the visitor with each reference to a placement.
     *
     * @throws IllegalStateException naming the one that does not hold
     */
    void verify(Region.RefVisitor visitor) {
        long[] previous = {0, PlacementTable.NONE};
        int[] regionsSeen = {0};
        new BoundaryTreeVerifier(boundaries, (key, ref) -> {
                    if (key != 0 && previous[1] == ref) {
                        throw broken(1, "equal numbers on both sides of " + Cid.toHex(key));
                    }
                    boolean afterRegion = RegionTable.isRegion((int) previous[1]);
                    if (afterRegion && key != previous[0] + Region.SIZE) {
                        throw broken(2, "the region at " + Cid.toHex(previous[0]) + " ends at " + Cid.toHex(key));
                    }
                    if (RegionTable.isRegion(ref)) {
                        if (placeOf(key) != 0) {
                            throw broken(2, "a region starts at " + Cid.toHex(key));
                        }
                        regions.get(ref).verify(visitor);
                        regionsSeen[0]++;
                    } else if (ref != PlacementTable.NONE) {
                        visitor.visit(ref);
                    }
                    previous[0] = key;
                    previous[1] = ref;
                })
                .verify();
        if (RegionTable.isRegion((int) previous[1]) && previous[0] + Region.SIZE != 0) {
            throw broken(2, "the last region, at " + Cid.toHex(previous[0]) + ", has no end");
        }
        if (regionsSeen[0] != regions.size()) {
            throw broken(3, regions.size() + " regions, " + regionsSeen[0] + " boundaries refer to one");
        }
    }

    private static int placeOf(long cid) {
        return (int) (cid & PLACE_MASK);
    }

    private static long regionStart(long cid) {
        return cid & ~PLACE_MASK;
    }

    private static long regionEnd(long cid) {
        return cid | PLACE_MASK;
    }

    private static IllegalStateException broken(int invariant, String what) {
        return new IllegalStateException("invariant " + invariant + " of the tree of runs is broken: " + what);
    }
}
