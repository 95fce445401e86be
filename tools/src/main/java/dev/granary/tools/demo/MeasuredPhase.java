package dev.granary.tools.demo;

import dev.granary.cli.graph.ParallelWork;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Measures a cluster for a bounded time: a third of it for single gets, one under way at a time, without counting the
 * first tenth; a third for gets in batches; a third for creates in batches, whose chunks are deleted afterwards.
 *
 * <p>There are as many threads for batches as storage peers. Each thread waits for its batch before it sends the next.
 * Client and cluster share the machine's cores: the figures describe the whole, not a server.
 */
final class MeasuredPhase {

    private static final int BATCH_CHUNKS = 1000;
    private static final int CREATED_BYTES = 32;
    private static final long MAX_CREATED_CHUNKS = 1_000_000;
    /** More bytes than a created chunk takes with its bookkeeping, so that the phase does not fill the cluster. */
    private static final int CREATED_FOOTPRINT_BYTES = 128;

    private final GranaryClient client;
    private final long[] cids;
    private final long budgetNanos;
    private final int threads;
    private final long createLimit;

    /**
     * Prepares the phase.
     *
     * @param cids existing chunks, to read in random order
     * @param budget the time of the three thirds together, without the deletes
     * @param threads batches under way at once
     * @param freeBytes the free memory of the cluster; the phase fills at most half of it
     */
    MeasuredPhase(GranaryClient client, long[] cids, Duration budget, int threads, long freeBytes) {
        this.client = client;
        this.cids = cids;
        this.budgetNanos = budget.toNanos() / 3;
        this.threads = threads;
        this.createLimit = Math.min(MAX_CREATED_CHUNKS, freeBytes / 2 / CREATED_FOOTPRINT_BYTES);
    }

    Measurement run() {
        Histogram latency = new Histogram(Duration.ofMinutes(1).toNanos(), 3);
        double single = singleGets(latency);
        double gets = inParallel(this::getBatch);
        List<long[]> created = Collections.synchronizedList(new ArrayList<>());
        double creates;
        try {
            AtomicLong count = new AtomicLong();
            List<byte[]> content = randomContent();
            creates = inParallel(random -> createBatch(content, created, count));
        } finally {
            delete(created);
        }
        return new Measurement(
                latency.getValueAtPercentile(50) / 1e3,
                latency.getValueAtPercentile(99) / 1e3,
                single,
                gets,
                creates,
                BATCH_CHUNKS,
                threads,
                CREATED_BYTES);
    }

    private double singleGets(Histogram latency) {
        RandomGenerator random = new SplittableRandom();
        long start = System.nanoTime();
        long warm = start + budgetNanos / 10;
        long end = start + budgetNanos;
        long before = start;
        while (before < end) {
            client.get(cids[random.nextInt(cids.length)]);
            long after = System.nanoTime();
            if (before >= warm) {
                latency.recordValue(Math.min(after - before, latency.getHighestTrackableValue()));
            }
            before = after;
        }
        return latency.getTotalCount() * 1e9 / (before - warm);
    }

    private int getBatch(RandomGenerator random) {
        long[] batch = new long[BATCH_CHUNKS];
        Arrays.setAll(batch, index -> cids[random.nextInt(cids.length)]);
        for (byte[] value : client.getAll(batch)) {
            if (value == null) {
                throw new IllegalStateException("a chunk that had been loaded is gone");
            }
        }
        return BATCH_CHUNKS;
    }

    /** Creates one batch, or none once there are enough chunks. */
    private int createBatch(List<byte[]> content, List<long[]> created, AtomicLong count) {
        if (count.addAndGet(BATCH_CHUNKS) > createLimit) {
            return 0;
        }
        created.add(client.createAll(content, Place.anywhere()));
        return BATCH_CHUNKS;
    }

    private static List<byte[]> randomContent() {
        RandomGenerator random = new SplittableRandom();
        return Stream.generate(() -> new byte[CREATED_BYTES])
                .limit(BATCH_CHUNKS)
                .peek(random::nextBytes)
                .toList();
    }

    private void delete(List<long[]> created) {
        for (long[] batch : created) {
            for (ChunkOutcome outcome : client.deleteAll(batch)) {
                if (outcome != ChunkOutcome.OK) {
                    throw new IllegalStateException("a chunk that had been created could not be deleted: " + outcome);
                }
            }
        }
    }

    /**
     * Runs batches in several threads for a third of the time, or until there are enough. Returns the chunks per
     * second.
     */
    private double inParallel(Batch batch) {
        LongAdder done = new LongAdder();
        long start = System.nanoTime();
        ParallelWork.run(threads, thread -> {
            RandomGenerator random = new SplittableRandom();
            int chunks = 1;
            while (chunks > 0 && System.nanoTime() - start < budgetNanos) {
                chunks = batch.run(random);
                done.add(chunks);
            }
        });
        return done.sum() * 1e9 / (System.nanoTime() - start);
    }

    /** One batch of chunks. Returns the number of chunks, 0 to end. */
    @FunctionalInterface
    private interface Batch {
        int run(RandomGenerator random);
    }
}
