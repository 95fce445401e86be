package dev.granary.bench.overlay;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.LongToIntFunction;
import java.util.function.Supplier;

/**
 * The cost of an entry for a number of ranges: in the CID-tree with short ranges of few placements, and with zones that
 * each have their own placement, in order and at random; and in maps with an entry for each chunk.
 */
final class RangesExperiment {

    static final String NAME = "ranges";

    private static final int CHUNKS_PER_RANGE = 10;
    private static final long CHUNKS_PER_ZONE = 2_000_000;
    private static final int FINDS = 1_000_000;
    private static final int ROUNDS = 5;
    private static final int MAX_MIGRATIONS = 200_000;

    private final Consumer<OverlayLine> results;

    RangesExperiment(Consumer<OverlayLine> results) {
        this.results = results;
    }

    void run(long ranges, long maxMapChunks) {
        Measure.alone(() -> shortRanges("cid-tree, short ranges", Owners.Tree::new, ranges));
        if (ranges * CHUNKS_PER_RANGE <= maxMapChunks) {
            Measure.alone(() -> shortRanges("HashMap", Owners.JavaHash::new, ranges));
            Measure.alone(() -> shortRanges("hppc LongShortHashMap", Owners.PrimitiveHash::new, ranges));
            Measure.alone(() -> shortRanges("TreeMap", Owners.JavaTree::new, ranges));
        }
        Measure.alone(() -> zones("cid-tree, own placements", ranges, false));
        Measure.alone(() -> zones("cid-tree, own placements, random order", ranges, true));
    }

    /** Measures ranges of ten chunks, where neighbours have different owners. */
    private void shortRanges(String structure, Supplier<Owners> maker, long ranges) {
        long before = Measure.usedBytes();
        long start = Measure.cpuNanos();
        Owners owners = maker.get();
        for (long i = 0; i < ranges; i++) {
            owners.insert(Chunks.cid(i * CHUNKS_PER_RANGE), CHUNKS_PER_RANGE, (int) (i % Owners.OWNERS));
        }
        double insertNanos = (double) (Measure.cpuNanos() - start) / ranges;
        long bytes = Measure.usedBytes() - before;
        long counted = owners.countedBytes();
        long chunks = ranges * CHUNKS_PER_RANGE;
        double findNanos = findNanos(chunks, owners::ownerOf);
        double migrateNanos = migrateNanos(owners, chunks);
        results.accept(line(structure, ranges, chunks, bytes, counted)
                .with(OverlayLine.FIND_NANOS, findNanos)
                .with(OverlayLine.INSERT_NANOS, insertNanos)
                .with(OverlayLine.MIGRATE_NANOS, migrateNanos));
    }

    /** Measures full zones. */
    private void zones(String structure, long zones, boolean randomOrder) {
        int[] order = randomOrder ? shuffled((int) zones) : null;
        long before = Measure.usedBytes();
        long start = Measure.cpuNanos();
        Owners.Tree owners = new Owners.Tree();
        for (int i = 0; i < zones; i++) {
            long place = order == null ? i : order[i];
            owners.insertZone(Chunks.cid(place * CHUNKS_PER_ZONE), CHUNKS_PER_ZONE, (int) (place % 10), i + 1);
        }
        double insertNanos = (double) (Measure.cpuNanos() - start) / zones;
        long bytes = Measure.usedBytes() - before;
        long counted = owners.countedBytes();
        long chunks = zones * CHUNKS_PER_ZONE;
        double findNanos = findNanos(chunks, owners::ownerOf);
        double migrateNanos = migrateNanos(owners, chunks);
        results.accept(line(structure, zones, chunks, bytes, counted)
                .with(OverlayLine.FIND_NANOS, findNanos)
                .with(OverlayLine.INSERT_NANOS, insertNanos)
                .with(OverlayLine.MIGRATE_NANOS, migrateNanos));
        Measure.keep(order == null ? 0 : order.length);
    }

    private static OverlayLine line(String structure, long ranges, long chunks, long bytes, long counted) {
        OverlayLine line = new OverlayLine(NAME, structure)
                .with(OverlayLine.RANGES, ranges)
                .with(OverlayLine.CHUNKS, chunks)
                .with(OverlayLine.TOTAL_BYTES, bytes)
                .with(OverlayLine.BYTES_PER_RANGE, (double) bytes / ranges);
        return counted == 0 ? line : line.with(OverlayLine.COUNTED_BYTES, counted);
    }

    /** Processor time of the lookup of a random CID, the best of a few rounds. */
    static double findNanos(long chunks, LongToIntFunction find) {
        double best = Double.MAX_VALUE;
        long sum = 0;
        for (int round = 0; round < ROUNDS; round++) {
            SplittableRandom random = new SplittableRandom(round);
            long start = Measure.cpuNanos();
            for (int i = 0; i < FINDS; i++) {
                sum += find.applyAsInt(Chunks.cid(random.nextLong(chunks)));
            }
            best = Math.min(best, (double) (Measure.cpuNanos() - start) / FINDS);
        }
        Measure.keep(sum);
        return best;
    }

    /** Processor time of the migration of a single random chunk; at most one chunk in ten migrates. */
    private static double migrateNanos(Owners owners, long chunks) {
        long count = Math.min(MAX_MIGRATIONS, Math.max(1, chunks / 10));
        SplittableRandom random = new SplittableRandom(7);
        long start = Measure.cpuNanos();
        for (long i = 0; i < count; i++) {
            owners.migrate(Chunks.cid(random.nextLong(chunks)), (int) (i % Owners.OWNERS));
        }
        return (double) (Measure.cpuNanos() - start) / count;
    }

    private static int[] shuffled(int count) {
        SplittableRandom random = new SplittableRandom(42);
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            int other = random.nextInt(i + 1);
            numbers[i] = numbers[other];
            numbers[other] = i;
        }
        return numbers;
    }
}
