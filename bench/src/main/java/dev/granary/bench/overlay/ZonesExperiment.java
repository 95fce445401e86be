package dev.granary.bench.overlay;

import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import dev.granary.overlay.tree.CidTree;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** The example of the "CID ranges" paper, section 3.2: ten peers with a billion chunks each, in full backup zones. */
final class ZonesExperiment {

    static final String NAME = "zones";

    private static final int PEERS = 10;
    private static final long CHUNKS_PER_PEER = 1_000_000_000;
    private static final int FINDS = 1_000_000;

    private ZonesExperiment() {}

    static void run(Consumer<OverlayLine> results) {
        int zones = (int) (CHUNKS_PER_PEER / BackupZone.MAX_CHUNKS);
        Measure.alone(() -> warmUp(zones));
        Measure.alone(() -> measure(zones, results));
    }

    private static void measure(int zones, Consumer<OverlayLine> results) {
        long before = Measure.usedBytes();
        long start = Measure.cpuNanos();
        CidTree tree = tree(zones);
        double insertNanos = (double) (Measure.cpuNanos() - start) / (PEERS * zones);
        long bytes = Measure.usedBytes() - before;
        long counted = tree.footprintBytes();
        double findNanos = findNanos(tree);
        results.accept(new OverlayLine(NAME, "cid-tree")
                .with(OverlayLine.RANGES, tree.rangeCount())
                .with(OverlayLine.CHUNKS, PEERS * CHUNKS_PER_PEER)
                .with(OverlayLine.MIGRATED_PERCENT, 0)
                .with(OverlayLine.TOTAL_BYTES, bytes)
                .with(OverlayLine.COUNTED_BYTES, counted)
                .with(OverlayLine.BYTES_PER_RANGE, (double) bytes / tree.rangeCount())
                .with(OverlayLine.FIND_NANOS, findNanos)
                .with(OverlayLine.INSERT_NANOS, insertNanos));
    }

    /** Loads classes and compiles code before heap is counted. */
    private static void warmUp(int zones) {
        Measure.keep(tree(zones).rangeCount() + (long) findNanos(tree(zones)));
    }

    /** Makes a tree with three backups for each zone, chosen at random from the other nine peers. */
    private static CidTree tree(int zonesPerPeer) {
        CidTree tree = new CidTree();
        SplittableRandom random = new SplittableRandom(1);
        int zone = 0;
        for (int peer = 1; peer <= PEERS; peer++) {
            for (int i = 0; i < zonesPerPeer; i++) {
                zone++;
                long first = Cid.of(Nid.storageNid(peer), Cid.MIN_LID + i * BackupZone.MAX_CHUNKS);
                Placement placement = new Placement(
                        Nid.storageNid(peer), backups(random, peer), 1 + zone % 7, zone, PlacementState.IN_SYNC);
                tree.insert(first, first + BackupZone.MAX_CHUNKS - 1, placement);
            }
        }
        return tree;
    }

    private static int[] backups(SplittableRandom random, int owner) {
        return random.ints(1, PEERS + 1)
                .filter(peer -> peer != owner)
                .distinct()
                .limit(Placement.MAX_BACKUPS)
                .map(Nid::storageNid)
                .toArray();
    }

    private static double findNanos(CidTree tree) {
        SplittableRandom random = new SplittableRandom(2);
        long sum = 0;
        long start = Measure.cpuNanos();
        for (int i = 0; i < FINDS; i++) {
            int nid = Nid.storageNid(1 + random.nextInt(PEERS));
            sum += tree.lookup(Cid.of(nid, Cid.MIN_LID + random.nextLong(CHUNKS_PER_PEER)));
        }
        Measure.keep(sum);
        return (double) (Measure.cpuNanos() - start) / FINDS;
    }
}
