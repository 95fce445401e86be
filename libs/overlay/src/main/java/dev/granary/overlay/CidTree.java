package dev.granary.overlay;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who holds which CIDs: a B-tree over ranges, each of which refers to an interned {@link Placement}. Sources: "CID
 * ranges" paper, section 3.1; ADR 0021.
 *
 * <p>The tree stores boundaries, not pairs of ends: from a boundary up to the next one all CIDs have the same placement,
 * or none. So a range costs one boundary when another one follows it directly and two when a gap follows, 6 to 12 bytes
 * each. Splitting, re-pointing and joining are one operation: give a span of CIDs a placement.
 *
 * <p>Invariants beside those of the {@link BoundaryTree}, all checked by {@link #verify}:
 *
 * <ol>
 *   <li>Two neighbouring boundaries differ in their placement: equal neighbours are joined.
 *   <li>No range holds a LID of 0; so every range is of one creator.
 *   <li>The reference count of a placement is the number of boundaries that refer to it, and there is no placement
 *       without one.
 *   <li>No two records of the table are equal.
 *   <li>{@link #rangeCount} is the number of boundaries with a placement.
 * </ol>
 *
 * <p>Not thread-safe: one thread at a time, readers included. {@link RangeCache} is the form for many readers.
 */
public final class CidTree {

    private final BoundaryTree boundaries;
    private final PlacementTable placements = new PlacementTable();
    private long rangeCount;

    /** An empty tree. */
    public CidTree() {
        this(BoundaryTree.DEFAULT_LEAF_MAX, BoundaryTree.DEFAULT_INNER_MAX);
    }

    /** An empty tree with nodes of a given size, see {@link BoundaryTree}; small ones make small test trees deep. */
    CidTree(int leafMax, int innerMax) {
        boundaries = new BoundaryTree(leafMax, innerMax, PlacementTable.NONE);
    }

    /** The number of ranges, neighbours with equal placements counted as one. */
    public long rangeCount() {
        return rangeCount;
    }

    /** The number of different placements. */
    public int placementCount() {
        return placements.size();
    }

    /** The bytes of heap that the tree takes, placements included; computed from array sizes, a few percent off. */
    public long footprintBytes() {
        return boundaries.footprintBytes() + placements.footprintBytes();
    }

    /**
     * Adds a range where there is none.
     *
     * @throws IllegalArgumentException when the two CIDs are not the ends of a range
     * @throws IllegalStateException when a CID of it is in a range already; nothing is changed
     */
    public void insert(long startCid, long endCidInclusive, Placement placement) {
        CidRange.requireRange(startCid, endCidInclusive);
        Optional<CidRange> known = findAtOrAfter(startCid);
        if (known.isPresent() && Cid.compare(known.get().startCid(), endCidInclusive) <= 0) {
            throw new IllegalStateException("cannot insert " + Cid.toHex(startCid) + ".." + Cid.toHex(endCidInclusive)
                    + ": there is " + known.get());
        }
        assign(startCid, endCidInclusive, placement);
    }

    /**
     * Gives CIDs that have a placement another one: the ranges at the ends are split, those between are replaced, and
     * the result is joined with neighbours of equal placement.
     *
     * @throws IllegalArgumentException when the two CIDs are not the ends of a range
     * @throws IllegalStateException when a CID between them is in no range; nothing is changed
     */
    public void migrate(long startCid, long endCidInclusive, Placement placement) {
        CidRange.requireRange(startCid, endCidInclusive);
        long cid = startCid;
        while (cid != 0 && Cid.compare(cid, endCidInclusive) <= 0) {
            if (placementOf(cid) == null) {
                throw new IllegalStateException("cannot migrate " + Cid.toHex(startCid) + ".."
                        + Cid.toHex(endCidInclusive) + ": " + Cid.toHex(cid) + " is in no range");
            }
            cid = boundaries.higherKey(cid);
        }
        assign(startCid, endCidInclusive, placement);
    }

    /**
     * Removes CIDs from all ranges; ranges at the ends are cut.
     *
     * @return whether there were any
     * @throws IllegalArgumentException when the two CIDs are not the ends of a range
     */
    public boolean delete(long startCid, long endCidInclusive) {
        CidRange.requireRange(startCid, endCidInclusive);
        Optional<CidRange> known = findAtOrAfter(startCid);
        if (known.isEmpty() || Cid.compare(known.get().startCid(), endCidInclusive) > 0) {
            return false;
        }
        assign(startCid, endCidInclusive, null);
        return true;
    }

    /** The whole range that holds a CID. */
    public Optional<CidRange> find(long cid) {
        Placement placement = placementOf(cid);
        if (placement == null) {
            return Optional.empty();
        }
        return Optional.of(new CidRange(boundaries.floorKey(cid), boundaries.higherKey(cid) - 1, placement));
    }

    /** The range that holds a CID, or else the next one after it. */
    public Optional<CidRange> findAtOrAfter(long cid) {
        Optional<CidRange> here = find(cid);
        if (here.isPresent()) {
            return here;
        }
        long next = boundaries.higherKey(cid);
        // Two gaps are never neighbours (invariant 1), so the next boundary starts a range.
        return next == 0 ? Optional.empty() : find(next);
    }

    /** The placement of a CID, or null when it is in no range. Allocates nothing. */
    public @Nullable Placement placementOf(long cid) {
        return placements.get(boundaries.refAt(cid));
    }

    /** Visits, in ascending order, all ranges that hold a CID of the span; the ranges are given whole. */
    public void forEachRange(long fromCid, long toCidInclusive, RangeVisitor visitor) {
        long cid = fromCid;
        while (Cid.compare(cid, toCidInclusive) <= 0) {
            long next = boundaries.higherKey(cid);
            Placement placement = placementOf(cid);
            if (placement != null) {
                visitor.visit(boundaries.floorKey(cid), next - 1, placement);
            }
            if (next == 0) {
                return;
            }
            cid = next;
        }
    }

    /** Visits all ranges in ascending order. */
    public void forEachRange(RangeVisitor visitor) {
        forEachRange(0, -1L, visitor);
    }

    /**
     * Gives every CID of a span a placement, or none, whatever it had before. The ends are checked by the caller.
     */
    void assign(long startCid, long endCidInclusive, @Nullable Placement placement) {
        int ref = placement == null ? PlacementTable.NONE : placements.intern(placement);
        // The ends of a range have LIDs of at least 1, so that there is always a CID before; not so after.
        int refBefore = boundaries.refAt(startCid - 1);
        long after = endCidInclusive + 1;
        int refAfter = after == 0 ? PlacementTable.NONE : boundaries.refAt(after);
        placements.retain(refAfter);

        long key = boundaries.higherKey(startCid - 1);
        while (key != 0 && (after == 0 || Cid.compare(key, after) <= 0)) {
            removeBoundary(key);
            key = boundaries.higherKey(startCid - 1);
        }
        if (ref != refBefore) {
            insertBoundary(startCid, ref);
        }
        if (after != 0 && refAfter != ref) {
            insertBoundary(after, refAfter);
        }
        placements.release(ref);
        placements.release(refAfter);
    }

    private void insertBoundary(long key, int ref) {
        boundaries.insert(key, ref);
        placements.retain(ref);
        if (ref != PlacementTable.NONE) {
            rangeCount++;
        }
    }

    private void removeBoundary(long key) {
        int ref = boundaries.remove(key);
        placements.release(ref);
        if (ref != PlacementTable.NONE) {
            rangeCount--;
        }
    }

    /**
     * Checks every invariant of the tree and of its placements.
     *
     * @throws IllegalStateException naming the one that does not hold
     */
    public void verify() {
        Map<Integer, Integer> counts = new HashMap<>();
        long[] previous = {0, -1};
        new BoundaryTreeVerifier(boundaries, (key, ref) -> {
                    if (previous[1] == ref) {
                        throw broken(1, "equal placements on both sides of " + Cid.toHex(key));
                    }
                    boolean crosses = previous[1] > 0 && Cid.nid(previous[0]) != Cid.nid(key - 1);
                    if (crosses || (ref != PlacementTable.NONE && Cid.lid(key) == 0)) {
                        throw broken(2, "a range before or at " + Cid.toHex(key) + " holds LID 0");
                    }
                    previous[0] = key;
                    previous[1] = ref;
                    if (ref != PlacementTable.NONE) {
                        counts.merge(ref, 1, Integer::sum);
                    }
                })
                .verify();
        if (previous[1] > 0 && Cid.nid(previous[0]) != Nid.MAX) {
            throw broken(2, "the last range, from " + Cid.toHex(previous[0]) + ", has no end");
        }
        long entries = 0;
        for (Map.Entry<Integer, Integer> count : counts.entrySet()) {
            Placement placement = placements.get(count.getKey());
            if (placement == null || placements.countOf(count.getKey()) != count.getValue()) {
                throw broken(3, count.getValue() + " boundaries refer to record " + count.getKey() + ", " + placement);
            }
            if (placements.refOf(placement) != count.getKey()) {
                throw broken(4, "two records for " + placement);
            }
            entries += count.getValue();
        }
        if (placements.size() != counts.size()) {
            throw broken(3, placements.size() + " records, " + counts.size() + " of them referred to");
        }
        if (entries != rangeCount) {
            throw broken(5, "counted " + rangeCount + " ranges, there are " + entries);
        }
    }

    private static IllegalStateException broken(int invariant, String what) {
        return new IllegalStateException("invariant " + invariant + " of the CID-tree is broken: " + what);
    }
}
