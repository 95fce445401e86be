package dev.granary.tools.bench;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ClusterLook;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Measures puts of one client at full speed, into a cluster of processes with backups and into one without. */
final class ReplicatedPuts {

    static final String CASE = "replicated-put";

    /** Storage peers, so that a zone has three backups. */
    static final int PEERS = 4;

    static final int CHUNKS = 100_000;

    private static final int BATCH = 1_000;
    private static final int ON_THE_WAY = 8;

    private static final long TURN_SECONDS = 5;

    /**
     * The most turns of the warm-up. By then the compilers of all processes, which share the cores with the measured
     * work, should have finished.
     */
    private static final int MOST_WARM_UP_TURNS = 14;

    /**
     * The compilers count as finished after this many turns in a row that are not faster than the best one before.
     */
    private static final int SETTLED_TURNS = 4;

    private static final double FASTER = 1.02;

    private static final long PUT_SECONDS = 20;

    private ReplicatedPuts() {}

    /**
     * Measures and returns the fields of a result.
     *
     * @param replicated an empty directory for the cluster with backups
     * @param alone an empty directory for the cluster without backups
     */
    static Map<String, Object> measure(Path replicated, Path alone) {
        double with = putsPerSecond(replicated, 3);
        double without = putsPerSecond(alone, 0);
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(RecoveryTable.CASE, CASE);
        fields.put("peers", PEERS);
        fields.put("chunks", CHUNKS);
        fields.put("replicatedPutShare", Math.round(1000 * with / without) / 1000.0);
        fields.put("replicatedPutsPerSecond", Math.round(with));
        fields.put("unreplicatedPutsPerSecond", Math.round(without));
        return fields;
    }

    private static double putsPerSecond(Path directory, int backups) {
        // With short leases the compilers might leave a process no time to renew its lease.
        try (MeasuredCluster cluster = MeasuredCluster.start(
                        directory, PEERS, ClusterRoom.memoryBytes(PEERS, CHUNKS), backups, "10s");
                GranaryClient client = cluster.connect()) {
            List<byte[]> values = ChunkValues.list(0, CHUNKS);
            long[] cids =
                    client.createAll(values, Place.on(ClusterLook.nids(client).getFirst()));
            if (backups > 0) {
                ClusterLook.awaitCopies(client);
            }
            warmUp(client.async(), cids);
            return put(client.async(), cids, PUT_SECONDS);
        }
    }

    private static void warmUp(AsyncGranaryClient client, long[] cids) {
        double best = 0;
        int settled = 0;
        for (int turn = 0; turn < MOST_WARM_UP_TURNS && settled < SETTLED_TURNS; turn++) {
            double now = put(client, cids, TURN_SECONDS);
            settled = now > FASTER * best ? 0 : settled + 1;
            best = Math.max(best, now);
        }
    }

    /** Puts batches, some of them at once, and returns the puts per second. */
    private static double put(AsyncGranaryClient client, long[] cids, long seconds) {
        List<byte[]> values = ChunkValues.list(0, BATCH);
        Semaphore room = new Semaphore(ON_THE_WAY);
        AtomicLong done = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        long begin = System.nanoTime();
        for (int from = 0; System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(seconds); from += BATCH) {
            room.acquireUninterruptibly();
            long[] batch = Arrays.copyOfRange(cids, from % cids.length, from % cids.length + BATCH);
            CompletableFuture<ChunkOutcome[]> put = client.putAll(batch, values);
            var _ = put.whenComplete((outcome, failure) -> {
                room.release();
                (failure == null ? done : failed).addAndGet(BATCH);
            });
        }
        double took = (System.nanoTime() - begin) / 1e9;
        long counted = done.get();
        room.acquireUninterruptibly(ON_THE_WAY);
        if (failed.get() > 0) {
            throw new UserException(failed.get() + " puts have failed");
        }
        return counted / took;
    }
}
