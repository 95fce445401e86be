package dev.granary.bench.overlay;

import dev.granary.overlay.tree.CidTree;
import dev.granary.overlay.tree.RangeCache;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * The set-up of the "CID ranges" paper, section 4.2: the chunks of one peer, of which 1, 5 or 10 percent are migrated
 * in ranges of 1 to 100 CIDs. A client looks up all of them in order, without a cache and with one. Lookups go over a
 * TCP connection. As in the paper, the time to find the owner is measured.
 */
final class CacheExperiment {

    static final String NAME = "client cache";

    private static final int MAX_RANGE = 100;
    private static final int HUNDRED = 100;

    /** Without a cache each lookup takes the same time, so this many lookups are enough. */
    private static final int UNCACHED_LOOKUPS = 40_000;

    private static final long MAX_CACHED_RANGES = 1_000_000;

    private final Consumer<OverlayLine> results;

    CacheExperiment(Consumer<OverlayLine> results) {
        this.results = results;
    }

    void run(long chunks, int percent) throws IOException {
        CidTree tree = tree(chunks, percent);
        try (LookupServer server = new LookupServer(tree);
                LookupClient client = new LookupClient(server.connect())) {
            uncachedNanos(client, chunks);
            double uncached = uncachedNanos(client, chunks);
            long before = Measure.usedBytes();
            RangeCache cache = new RangeCache(MAX_CACHED_RANGES);
            long lookupsBefore = client.lookups();
            double cached = cachedNanos(client, cache, tree, chunks);
            long lookups = client.lookups() - lookupsBefore;
            long bytes = Measure.usedBytes() - before;
            results.accept(new OverlayLine(NAME, "range cache")
                    .with(OverlayLine.RANGES, cache.rangeCount())
                    .with(OverlayLine.CHUNKS, chunks)
                    .with(OverlayLine.MIGRATED_PERCENT, percent)
                    .with(OverlayLine.TOTAL_BYTES, bytes)
                    .with(OverlayLine.COUNTED_BYTES, cache.footprintBytes())
                    .with(OverlayLine.BYTES_PER_RANGE, (double) bytes / cache.rangeCount())
                    .with(OverlayLine.BYTES_PER_MIGRATED_CHUNK, (double) bytes * HUNDRED / (chunks * percent))
                    .with(OverlayLine.FIND_NANOS, RangesExperiment.findNanos(chunks, cache::ownerOf))
                    .with(OverlayLine.LOOKUPS_SAVED_PERCENT, HUNDRED - (double) HUNDRED * lookups / chunks)
                    .with(OverlayLine.ACCESS_TIME_REDUCTION_PERCENT, HUNDRED - HUNDRED * cached / uncached));
        }
    }

    private static CidTree tree(long chunks, int percent) {
        CidTree tree = new CidTree();
        tree.insert(Chunks.cid(0), Chunks.cid(chunks - 1), Owners.Tree.placement(0, 1));
        SplittableRandom random = new SplittableRandom(percent);
        long wanted = chunks * percent / HUNDRED;
        long moved = 0;
        while (moved < wanted) {
            long length = Math.min(1 + random.nextInt(MAX_RANGE), wanted - moved);
            long first = random.nextLong(chunks - length);
            int owner = 1 + random.nextInt(Owners.OWNERS - 1);
            tree.migrate(Chunks.cid(first), Chunks.cid(first + length - 1), Owners.Tree.placement(owner, 1 + owner));
            moved += length;
        }
        return tree;
    }

    /** The wall-clock time of a lookup without a cache, because most of it is waiting. */
    private static double uncachedNanos(LookupClient client, long chunks) throws IOException {
        long count = Math.min(chunks, UNCACHED_LOOKUPS);
        long sum = 0;
        long start = System.nanoTime();
        for (long i = 0; i < count; i++) {
            sum += client.lookup(Chunks.cid(i)).placement().owner();
        }
        Measure.keep(sum);
        return (double) (System.nanoTime() - start) / count;
    }

    private static double cachedNanos(LookupClient client, RangeCache cache, CidTree tree, long chunks)
            throws IOException {
        long start = System.nanoTime();
        for (long i = 0; i < chunks; i++) {
            long cid = Chunks.cid(i);
            if (cache.lookup(cid) == RangeCache.MISS) {
                cache.put(client.lookup(cid));
            }
        }
        double nanos = (double) (System.nanoTime() - start) / chunks;
        for (long i = 0; i < chunks; i++) {
            long cid = Chunks.cid(i);
            if (cache.ownerOf(cid) != CidTree.owner(tree.lookup(cid))) {
                throw new IllegalStateException("the cache answers a wrong owner for chunk " + i);
            }
        }
        return nanos;
    }
}
