package dev.granary.bench;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.CidTree;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.RangeCache;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * Bytes and nanoseconds of the CID-tree and the range cache at a million ranges, beside a {@link TreeMap} from the first
 * CID of each range to its placement. Heap is measured after a collection, time is the thread's processor time. Run with
 * {@code -XX:+UseSerialGC -Xmx2g}.
 */
public final class OverlayBench {

    private static final int RANGES = 1_000_000;
    private static final int FINDS = 2_000_000;
    private static final int ROUNDS = 3;
    private static final int NID = 0x8000;

    private static final Runtime RUNTIME = Runtime.getRuntime();

    /** Keeps the results of lookups alive. */
    private static long blackhole;

    private OverlayBench() {}

    /** Runs everything; takes about a minute. */
    public static void main(String[] args) {
        System.out.printf("%-44s %10s %8s %8s %10s %10s%n", "", "ranges", "B/range", "counted", "build ns", "find ns");
        chunksMigratedAlone();
        rangesBetweenGaps(1_000);
        rangesBetweenGaps(RANGES);
        treeMap();
        cache();
        System.out.printf("(%d)%n", blackhole % 10);
    }

    /** One range of the creator, and chunks moved out of it in random order, to 60 owners with one zone each. */
    private static void chunksMigratedAlone() {
        long[] lids = shuffled(RANGES / 2);
        long before = usedBytes();
        long start = cpuNanos();
        CidTree tree = new CidTree();
        tree.insert(cid(1), cid(40L * RANGES), placement(0));
        for (int i = 0; i < lids.length; i++) {
            long cid = cid(20 + 80 * lids[i]);
            tree.migrate(cid, cid, placement(1 + i % 60));
        }
        long buildNanos = (cpuNanos() - start) / lids.length;
        report("chunks migrated alone, random order", tree, usedBytes() - before, buildNanos, 40L * RANGES);
    }

    /** Ranges with a gap after each. */
    private static void rangesBetweenGaps(int placements) {
        long before = usedBytes();
        long start = cpuNanos();
        CidTree tree = new CidTree();
        for (int i = 0; i < RANGES; i++) {
            tree.insert(cid(1 + 40L * i), cid(30 + 40L * i), placement(i % placements));
        }
        long buildNanos = (cpuNanos() - start) / RANGES;
        String what = "ranges between gaps, " + placements + " placements";
        report(what, tree, usedBytes() - before, buildNanos, 40L * RANGES);
    }

    private static void treeMap() {
        long before = usedBytes();
        long start = cpuNanos();
        TreeMap<Long, Placement> map = new TreeMap<>(Cid::compare);
        Placement[] placements = new Placement[61];
        for (int i = 0; i < placements.length; i++) {
            placements[i] = placement(i);
        }
        for (long lid : shuffled(RANGES)) {
            map.put(cid(1 + 40 * lid), placements[(int) (lid % 61)]);
        }
        long buildNanos = (cpuNanos() - start) / RANGES;
        long bytes = usedBytes() - before;
        long findNanos = findNanos(40L * RANGES, cid -> {
            Map.Entry<Long, Placement> entry = map.floorEntry(cid);
            return entry == null ? 0 : entry.getValue().owner();
        });
        line("TreeMap of first CIDs", RANGES, (double) bytes / RANGES, 0, buildNanos, findNanos);
    }

    private static void cache() {
        long before = usedBytes();
        long start = cpuNanos();
        RangeCache cache = new RangeCache(RANGES);
        for (int i = 0; i < RANGES; i++) {
            cache.put(new CidRange(cid(1 + 40L * i), cid(40 + 40L * i), placement(i % 60)));
        }
        long buildNanos = (cpuNanos() - start) / RANGES;
        long bytes = usedBytes() - before;
        long findNanos = findNanos(40L * RANGES, cache::lookup);
        line("range cache, lookup", RANGES, (double) bytes / RANGES, 0, buildNanos, findNanos);
    }

    private static void report(String what, CidTree tree, long bytes, long buildNanos, long lids) {
        long findNanos = findNanos(lids, cid -> {
            Placement placement = tree.placementOf(cid);
            return placement == null ? 0 : placement.owner();
        });
        long ranges = tree.rangeCount();
        line(what, ranges, (double) bytes / ranges, (double) tree.footprintBytes() / ranges, buildNanos, findNanos);
    }

    /** Nanoseconds of a lookup of a random CID, the best of a few rounds. */
    private static long findNanos(long lids, LongUnaryOperator find) {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            SplittableRandom random = new SplittableRandom(round);
            long start = cpuNanos();
            for (int i = 0; i < FINDS; i++) {
                blackhole += find.applyAsLong(cid(1 + random.nextLong(lids)));
            }
            best = Math.min(best, (cpuNanos() - start) / FINDS);
        }
        return best;
    }

    private static long[] shuffled(int count) {
        SplittableRandom random = new SplittableRandom(42);
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            numbers[i] = numbers[other];
            numbers[other] = i;
        }
        return numbers;
    }

    private static long cid(long lid) {
        return Cid.of(NID, lid);
    }

    private static Placement placement(int number) {
        return new Placement(
                Nid.storageNid(1 + number % 60), new int[] {0x0FFE, 0x1FFE, 0x2FFE}, 1, number, PlacementState.IN_SYNC);
    }

    /** Processor time of this thread: other work on the machine disturbs it less than it disturbs the clock. */
    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long usedBytes() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return RUNTIME.totalMemory() - RUNTIME.freeMemory();
    }

    private static void line(String what, long ranges, double bytes, double counted, long buildNanos, long findNanos) {
        System.out.printf("%-44s %10d %8.1f %8.1f %10d %10d%n", what, ranges, bytes, counted, buildNanos, findNanos);
    }
}
