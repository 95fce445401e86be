package dev.granary.overlay.tree;

import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who holds which CIDs: a tree of ranges, each of which refers to an interned {@link Placement}. Sources: "CID ranges"
 * paper, section 3.1; ADR 0021, 0025, 0026.
 *
 * <p>The tree stores boundaries, not pairs of ends: from a boundary up to the next one all CIDs have the same
 * placement, or none. So a range costs one boundary when another one follows it directly and two when a gap follows.
 * Splitting, re-pointing and joining are one operation: give a span of CIDs a placement. Where single chunks or short
 * ranges are dense, a compressed container takes the place of the boundaries ({@link RunTree}, {@link Region});
 * ranges look the same.
 *
 * <p>Invariants besides those of the {@link RunTree}, all checked by {@link #verify}:
 *
 * <ol>
 *   <li>Two neighbouring ranges differ in their placement: equal neighbours are joined.
 *   <li>No range holds a LID of 0; so every range is of one creator.
 *   <li>The reference count of a placement is the number of boundaries and containers that refer to it, and there is no
 *       placement without one.
 *   <li>No two records of the table are equal.
 *   <li>{@link #rangeCount} is the number of ranges.
 * </ol>
 *
 * <p>Not thread-safe: one thread at a time, readers included. {@link RangeCache} is the form for many readers.
 */
public final class CidTree {

    /** The answer of {@link #lookup} for a CID that is in no range. */
    public static final long NO_RANGE = 0;

    private static final int OWNER_BITS = 16;

    private final PlacementTable placements = new PlacementTable();
    private final RunTree runs;
    private long changes;
    private long rangeCount;

    /** An empty tree. */
    public CidTree() {
        this(BoundaryTree.DEFAULT_LEAF_MAX, BoundaryTree.DEFAULT_INNER_MAX);
    }

    /** An empty tree with nodes of a given size, see {@link BoundaryTree}; small ones make small test trees deep. */
    CidTree(int leafMax, int innerMax) {
        runs = new RunTree(leafMax, innerMax, placements);
    }

    /** The number of ranges, neighbours with equal placements counted as one. */
    public long rangeCount() {
        return rangeCount;
    }

    /** The number of different placements. */
    public int placementCount() {
        return placements.size();
    }

    /** The number of places, of 65,536 CIDs each, that are kept as compressed containers. */
    public int containerCount() {
        return runs.regionCount();
    }

    /** The form of the container that a CID lies in, or null when it lies in none. */
    @Nullable
    Class<? extends RegionCodes> formAt(long cid) {
        Region region = runs.regionAt(cid);
        return region == null ? null : region.form();
    }

    /** Rises with each change. While it stays the same, the results of a walk over all ranges stay true. */
    public long changes() {
        return changes;
    }

    /** The bytes of heap that the tree takes, placements included; computed from array sizes, a few percent off. */
    public long footprintBytes() {
        return runs.footprintBytes() + placements.footprintBytes();
    }

    /**
     * Adds a range where there is none.
     *
     * @throws IllegalArgumentException when the two CIDs are not the ends of a range
     * @throws IllegalStateException when a CID of it is in a range already; nothing is changed
     */
    public void insert(long startCid, long endCidInclusive, Placement placement) {
        CidRange.requireRange(startCid, endCidInclusive);
        Survey survey = survey(startCid, endCidInclusive);
        if (survey.firstRange != null) {
            throw new IllegalStateException("cannot insert " + Cid.toHex(startCid) + ".." + Cid.toHex(endCidInclusive)
                    + ": there is " + find(survey.firstRange.start()).orElseThrow());
        }
        apply(survey, placement);
    }

    /**
     * Gives CIDs that have a placement another one: splits the ranges at the ends, replaces those between, and joins
     * the result with neighbours of equal placement.
     *
     * @throws IllegalArgumentException when the two CIDs are not the ends of a range
     * @throws IllegalStateException when a CID between them is in no range; nothing is changed
     */
    public void migrate(long startCid, long endCidInclusive, Placement placement) {
        CidRange.requireRange(startCid, endCidInclusive);
        Survey survey = survey(startCid, endCidInclusive);
        if (survey.firstGap != null) {
            long gap = survey.firstGap.start();
            throw new IllegalStateException("cannot migrate " + Cid.toHex(startCid) + ".."
                    + Cid.toHex(endCidInclusive) + ": " + Cid.toHex(Cid.compare(gap, startCid) < 0 ? startCid : gap)
                    + " is in no range");
        }
        apply(survey, placement);
    }

    /**
     * Removes CIDs from all ranges; ranges at the ends are cut.
     *
     * @return whether there were any
     * @throws IllegalArgumentException when the two CIDs are not the ends of a range
     */
    public boolean delete(long startCid, long endCidInclusive) {
        CidRange.requireRange(startCid, endCidInclusive);
        Survey survey = survey(startCid, endCidInclusive);
        if (survey.firstRange == null) {
            return false;
        }
        apply(survey, null);
        return true;
    }

    /** The whole range that holds a CID. */
    public Optional<CidRange> find(long cid) {
        Run run = runs.runAt(cid);
        Placement placement = placements.get(run.ref());
        return placement == null ? Optional.empty() : Optional.of(new CidRange(run.start(), run.end(), placement));
    }

    /** The range that holds a CID, or else the next one after it. */
    public Optional<CidRange> findAtOrAfter(long cid) {
        Run run = runs.runAt(cid);
        if (run.ref() == PlacementTable.NONE) {
            // Two gaps are never neighbours (invariant 1), so a range follows, or nothing.
            return run.end() == -1L ? Optional.empty() : find(run.end() + 1);
        }
        return find(cid);
    }

    /** The placement of a CID, or null when it is in no range. */
    public @Nullable Placement placementOf(long cid) {
        return placements.get(runs.refAt(cid));
    }

    /**
     * Owner and epoch of a CID's placement in one number, taken apart by {@link #owner} and {@link #epoch}, or {@link
     * #NO_RANGE}. Allocates nothing.
     */
    public long lookup(long cid) {
        return placements.lookup(runs.refAt(cid));
    }

    /** The NID in an answer of {@link #lookup}; {@link Nid#NONE} when there is none. */
    public static int owner(long answer) {
        return (int) (answer & Nid.MAX);
    }

    /** The epoch in an answer of {@link #lookup}; 0 when there is none. */
    public static long epoch(long answer) {
        return answer >>> OWNER_BITS;
    }

    /**
     * Returns a backup zone that ranges point to. If a zone has several records, the one with the highest epoch counts.
     *
     * @param id at least 1
     */
    public Optional<BackupZone> zone(int id) {
        Placement newest = null;
        for (int ref : placements.refsOfZone(requireZone(id))) {
            Placement placement = placements.get(ref);
            if (placement != null && (newest == null || placement.epoch() > newest.epoch())) {
                newest = placement;
            }
        }
        return Optional.ofNullable(newest).map(BackupZone::new);
    }

    /**
     * Gives a backup zone another owner, other backups, another epoch or state:
     * for all ranges that point to it at once, however many they are.
     *
     * @return false when no range points to the zone
     * @throws IllegalStateException when the zone is known with this epoch or a higher one; nothing is changed
     */
    public boolean changeZone(BackupZone next) {
        int[] refs = placements.refsOfZone(next.id());
        for (int ref : refs) {
            Placement known = placements.get(ref);
            if (known != null && known.epoch() >= next.epoch()) {
                throw new IllegalStateException("zone " + next.id() + " is at epoch " + known.epoch()
                        + " and cannot be changed at epoch " + next.epoch());
            }
        }
        if (refs.length == 0) {
            return false;
        }
        // A zone has several records when its ranges were migrated to its next epoch one by one.
        for (int i = 1; i < refs.length; i++) {
            replaceEverywhere(refs[i], placements.get(refs[0]));
        }
        placements.replace(refs[0], next.placement());
        changes++;
        return true;
    }

    private void replaceEverywhere(int oldRef, @Nullable Placement next) {
        List<Run> found = new ArrayList<>();
        for (Run run = runs.runAt(0); ; run = runs.runAt(run.end() + 1)) {
            if (run.ref() == oldRef) {
                found.add(run);
            }
            if (run.end() == -1L) {
                break;
            }
        }
        found.forEach(run -> assign(run.start(), run.end(), next));
    }

    private static int requireZone(int id) {
        if (id < 1) {
            throw new IllegalArgumentException("zone " + id + " is less than 1");
        }
        return id;
    }

    /** Visits, in ascending order, all ranges that hold a CID of the span; the ranges are given whole. */
    public void forEachRange(long fromCid, long toCidInclusive, RangeVisitor visitor) {
        long cid = fromCid;
        while (Cid.compare(cid, toCidInclusive) <= 0) {
            Run run = runs.runAt(cid);
            Placement placement = placements.get(run.ref());
            if (placement != null) {
                visitor.visit(run.start(), run.end(), placement);
            }
            if (run.end() == -1L) {
                return;
            }
            cid = run.end() + 1;
        }
    }

    /** Visits all ranges in ascending order. */
    public void forEachRange(RangeVisitor visitor) {
        forEachRange(0, -1L, visitor);
    }

    /**
     * Gives every CID of a span a placement, or none, whatever it had before. The caller checks the ends.
     */
    void assign(long startCid, long endCidInclusive, @Nullable Placement placement) {
        apply(survey(startCid, endCidInclusive), placement);
    }

    /**
     * What is in a span before it is changed.
     *
     * @param rangeStarts the ranges that start in the span or directly behind it
     * @param refBefore the number at the CID before the span
     * @param refAfter the number at the CID behind the span
     * @param uniform whether the whole span is in one range or gap
     */
    private record Survey(
            long start,
            long end,
            long rangeStarts,
            int refBefore,
            int refAfter,
            boolean uniform,
            @Nullable Run firstRange,
            @Nullable Run firstGap) {}

    private Survey survey(long start, long end) {
        Run run = runs.runAt(start);
        // The first CID of a range has a LID of at least 1, so a CID always precedes it; none may follow the last one.
        int refBefore = run.start() == start ? runs.refAt(start - 1) : run.ref();
        boolean uniform = Cid.compare(end, run.end()) <= 0;
        long rangeStarts = run.start() == start && run.ref() != PlacementTable.NONE ? 1 : 0;
        Run firstRange = run.ref() == PlacementTable.NONE ? null : run;
        Run firstGap = run.ref() == PlacementTable.NONE ? run : null;
        while (Cid.compare(run.end(), end) < 0) {
            run = runs.runAt(run.end() + 1);
            if (run.ref() == PlacementTable.NONE) {
                firstGap = firstGap == null ? run : firstGap;
            } else {
                rangeStarts++;
                firstRange = firstRange == null ? run : firstRange;
            }
        }
        int refAfter = run.ref();
        if (run.end() == end) {
            refAfter = end == -1L ? PlacementTable.NONE : runs.refAt(end + 1);
            rangeStarts += refAfter == PlacementTable.NONE ? 0 : 1;
        }
        return new Survey(start, end, rangeStarts, refBefore, refAfter, uniform, firstRange, firstGap);
    }

    private void apply(Survey survey, @Nullable Placement placement) {
        int ref = placement == null ? PlacementTable.NONE : placements.intern(placement);
        Run first = survey.firstRange == null ? survey.firstGap : survey.firstRange;
        if (!(survey.uniform && first != null && first.ref() == ref)) {
            long starts = ref != PlacementTable.NONE && ref != survey.refBefore ? 1 : 0;
            starts += survey.refAfter != PlacementTable.NONE && survey.refAfter != ref ? 1 : 0;
            runs.assign(survey.start, survey.end, ref);
            rangeCount += starts - survey.rangeStarts;
            changes++;
        }
        placements.release(ref);
    }

    /**
     * Checks every invariant of the tree and of its placements.
     *
     * @throws IllegalStateException naming the one that does not hold
     */
    public void verify() {
        Map<Integer, Long> counts = new HashMap<>();
        runs.verify(ref -> {
            if (ref != PlacementTable.NONE) {
                counts.merge(ref, 1L, Long::sum);
            }
        });
        for (Map.Entry<Integer, Long> count : counts.entrySet()) {
            Placement placement = placements.get(count.getKey());
            if (placement == null || placements.countOf(count.getKey()) != count.getValue()) {
                throw broken(3, count.getValue() + " references to record " + count.getKey() + ", " + placement);
            }
            if (placements.refOf(placement) != count.getKey()) {
                throw broken(4, "two records for " + placement);
            }
        }
        if (placements.size() != counts.size()) {
            throw broken(3, placements.size() + " records, " + counts.size() + " of them referred to");
        }
        verifyRanges();
    }

    private void verifyRanges() {
        long ranges = 0;
        Run previous = new Run(0, 0, -1);
        for (Run run = runs.runAt(0); ; run = runs.runAt(run.end() + 1)) {
            if (run.ref() == previous.ref()) {
                throw broken(1, "equal placements on both sides of " + Cid.toHex(run.start()));
            }
            if (run.ref() != PlacementTable.NONE) {
                ranges++;
                if (Cid.lid(run.start()) == 0 || Cid.nid(run.start()) != Cid.nid(run.end())) {
                    throw broken(2, "the range from " + Cid.toHex(run.start()) + " holds LID 0");
                }
            }
            if (run.end() == -1L) {
                break;
            }
            previous = run;
        }
        if (ranges != rangeCount) {
            throw broken(5, "counted " + rangeCount + " ranges, there are " + ranges);
        }
    }

    private static IllegalStateException broken(int invariant, String what) {
        return new IllegalStateException("invariant " + invariant + " of the CID-tree is broken: " + what);
    }
}
