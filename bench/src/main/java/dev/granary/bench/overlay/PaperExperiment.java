package dev.granary.bench.overlay;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The experiment of the "CID ranges" paper, section 4.1: a node has CIDs, and 1, 5 or 10 percent of them are migrated
 * one by one at random, here to five other nodes. It measures bytes, the time of a migration and the time of a get.
 */
final class PaperExperiment {

    static final String NAME = "paper";

    private static final int HUNDRED = 100;

    private final Consumer<OverlayLine> results;

    PaperExperiment(Consumer<OverlayLine> results) {
        this.results = results;
    }

    void run(long chunks, int percent, long maxMapChunks) {
        Measure.alone(() -> measure("cid-tree", Owners.Tree::new, chunks, percent));
        if (chunks <= maxMapChunks) {
            Measure.alone(() -> measure("HashMap", Owners.JavaHash::new, chunks, percent));
            Measure.alone(() -> measure("hppc LongShortHashMap", Owners.PrimitiveHash::new, chunks, percent));
            Measure.alone(() -> measure("TreeMap", Owners.JavaTree::new, chunks, percent));
        }
    }

    private void measure(String structure, Supplier<Owners> maker, long chunks, int percent) {
        Chunks choice = new Chunks(chunks, percent);
        long migrations = chunks * percent / HUNDRED;
        long before = Measure.usedBytes();
        long start = Measure.cpuNanos();
        Owners owners = maker.get();
        owners.insert(Chunks.cid(0), chunks, 0);
        double insertNanos = (double) (Measure.cpuNanos() - start) / chunks;
        start = Measure.cpuNanos();
        for (long i = 0; i < migrations; i++) {
            owners.migrate(choice.next(), (int) (1 + i % (Owners.OWNERS - 1)));
        }
        double migrateNanos = (double) (Measure.cpuNanos() - start) / migrations;
        long bytes = Measure.usedBytes() - before;
        long counted = owners.countedBytes();
        double findNanos = RangesExperiment.findNanos(chunks, owners::ownerOf);
        OverlayLine line = new OverlayLine(NAME, structure)
                .with(OverlayLine.RANGES, owners.entries())
                .with(OverlayLine.CHUNKS, chunks)
                .with(OverlayLine.MIGRATED_PERCENT, percent)
                .with(OverlayLine.TOTAL_BYTES, bytes)
                .with(OverlayLine.BYTES_PER_RANGE, (double) bytes / owners.entries())
                .with(OverlayLine.BYTES_PER_MIGRATED_CHUNK, (double) bytes / migrations)
                .with(OverlayLine.FIND_NANOS, findNanos)
                .with(OverlayLine.INSERT_NANOS, insertNanos)
                .with(OverlayLine.MIGRATE_NANOS, migrateNanos);
        results.accept(counted == 0 ? line : line.with(OverlayLine.COUNTED_BYTES, counted));
        // Keeps the choice alive until here, so that it is part of the heap before and after.
        Measure.keep(choice.count());
    }
}
