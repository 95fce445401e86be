package dev.granary.tools.bench;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.AotCaches;
import dev.granary.cli.cluster.ClusterLook;
import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.Place;
import dev.granary.overlay.Cid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Measures a recovery in a whole cluster of processes on this machine: kills a storage peer and takes the time until
 * its chunks are served again.
 */
final class ClusterRecovery {

    static final String CASE = "recovery";

    /** The fewest storage peers: one is killed, and another one takes over. */
    static final int LEAST_PEERS = 2;

    private static final int MOST_AT_ONCE = 10_000;
    private static final int SAMPLES = 1_000;
    private static final int CREATE_ATTEMPTS = 5;
    private static final int BACKUPS = 3;
    private static final String LEASE = "1s";
    private static final int READS_AT_ONCE = 256;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long SEED = 42;

    /** The log message of a super-peer at the end of a lease. */
    private static final String END_OF_LEASE = "a storage peer is declared dead";

    private final Path directory;

    /**
     * @param directory an empty directory for the cluster's files
     */
    ClusterRecovery(Path directory) {
        this.directory = directory;
    }

    /**
     * Kills one of {@code peers} storage peers that have {@code chunks} chunks in total, and returns the fields of a
     * result.
     */
    Map<String, Object> measure(int peers, int chunks) {
        long memoryBytes = ClusterRoom.memoryBytes(peers, chunks);
        try (MeasuredCluster cluster = MeasuredCluster.start(directory, peers, memoryBytes, BACKUPS, LEASE);
                GranaryClient client = cluster.connect()) {
            long[] cids = fill(client, chunks);
            ClusterLook.awaitCopies(client);
            warmUp(client.async(), cids);
            NodeState victim = cluster.lastPeer();
            int[] own = indexesOf(cids, ClusterLook.nidOf(client, victim.name()));
            long[] unservedMillis = new long[Math.min(SAMPLES, own.length)];
            Instant killed = kill(victim);
            AtomicLong wrong = new AtomicLong();
            awaitSamples(client.async(), cids, own, unservedMillis, wrong);
            long lostWrites = wrong.get() + countLost(client, cids, own);
            long leaseMillis = Duration.between(killed, leaseEnd(killed)).toMillis();
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put(RecoveryTable.CASE, CASE);
            fields.put("peers", peers);
            fields.put("chunks", chunks);
            fields.put("recoveryMillis", unservedMillis[unservedMillis.length - 1] - leaseMillis);
            fields.put("unservedP99Millis", unservedMillis[unservedMillis.length * 99 / 100]);
            fields.put("lostWrites", lostWrites);
            fields.put("firstChunkMillis", unservedMillis[0] - leaseMillis);
            fields.put("unservedP50Millis", unservedMillis[unservedMillis.length / 2]);
            fields.put("chunksOfVictim", own.length);
            fields.put("leaseEndMillis", leaseMillis);
            fields.put("aotCaches", AotCaches.ofThisProgram().areThere());
            return fields;
        }
    }

    /** Creates chunks, equally many on each storage peer. Returns their CIDs. */
    private static long[] fill(GranaryClient client, int chunks) {
        List<Integer> nids = ClusterLook.nids(client);
        int batch = Math.min(MOST_AT_ONCE, Math.ceilDiv(chunks, nids.size()));
        long[] cids = new long[chunks];
        for (int from = 0; from < chunks; from += batch) {
            List<byte[]> values = ChunkValues.list(from, Math.min(chunks, from + batch));
            Place place = Place.on(nids.get(from / batch % nids.size()));
            System.arraycopy(create(client, values, place), 0, cids, from, values.size());
        }
        return cids;
    }

    /**
     * Creates chunks, and tries again when that fails: a storage peer that has just started may miss the renewal of its
     * short lease.
     */
    private static long[] create(GranaryClient client, List<byte[]> values, Place place) {
        for (int attempt = 1; ; attempt++) {
            try {
                return client.createAll(values, place);
            } catch (GranaryException e) {
                if (attempt == CREATE_ATTEMPTS) {
                    throw e;
                }
                ClusterLook.pause();
            }
        }
    }

    /**
     * Reads chunks of the whole cluster, so that the compiler does not distort the measurement: new processes share the
     * machine's processors with it when they do something for the first time, and take several times as long.
     */
    private static void warmUp(AsyncGranaryClient client, long[] cids) {
        long begin = System.nanoTime();
        SplittableRandom random = new SplittableRandom(SEED);
        while (System.nanoTime() - begin < WARM_UP_NANOS) {
            CompletableFuture<?>[] all = new CompletableFuture<?>[READS_AT_ONCE];
            for (int i = 0; i < all.length; i++) {
                all[i] = client.get(cids[random.nextInt(cids.length)]);
            }
            CompletableFuture.allOf(all).join();
        }
    }

    private static Instant kill(NodeState victim) {
        ProcessHandle process = ProcessHandle.of(victim.pid())
                .orElseThrow(() -> new UserException(victim.name() + " does not run any more"));
        Instant now = Instant.now();
        process.destroyForcibly();
        return now;
    }

    /** The moment at which a super-peer has found that the lease of the killed storage peer is over. */
    private Instant leaseEnd(Instant killed) {
        Instant found = null;
        try (Stream<Path> nodes = Files.list(directory)) {
            for (Path log : nodes.map(node -> node.resolve("log.txt"))
                    .filter(Files::exists)
                    .toList()) {
                for (String line : Files.readAllLines(log)) {
                    if (!line.contains(END_OF_LEASE)) {
                        continue;
                    }
                    Instant at = Instant.parse(line.split(" ", 2)[0]);
                    if (at.isAfter(killed) && (found == null || at.isBefore(found))) {
                        found = at;
                    }
                }
            }
        } catch (IOException e) {
            throw new UserException("the logs of the super-peers cannot be read: " + e.getMessage(), e);
        }
        if (found == null) {
            throw new UserException("no super-peer has declared the killed storage peer dead");
        }
        return found;
    }

    // The chunks of the victim.

    private static int[] indexesOf(long[] cids, int nid) {
        int[] own = new int[cids.length];
        int count = 0;
        for (int i = 0; i < cids.length; i++) {
            if (Cid.nid(cids[i]) == nid) {
                own[count++] = i;
            }
        }
        return Arrays.copyOf(own, count);
    }

    /**
     * Asks for a sample of the victim's chunks, all at once, and takes the time until each is served. The times are
     * sorted.
     */
    private static void awaitSamples(
            AsyncGranaryClient client, long[] cids, int[] own, long[] unservedMillis, AtomicLong wrong) {
        long begin = System.nanoTime();
        CompletableFuture<?>[] all = new CompletableFuture<?>[unservedMillis.length];
        for (int i = 0; i < all.length; i++) {
            int sample = i;
            int index = own[(int) ((long) i * own.length / all.length)];
            all[i] = client.get(cids[index]).handle((found, failure) -> {
                unservedMillis[sample] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
                if (failure != null || !Arrays.equals(found, ChunkValues.of(index))) {
                    wrong.incrementAndGet();
                }
                return sample;
            });
        }
        CompletableFuture.allOf(all).join();
        Arrays.sort(unservedMillis);
    }

    private static long countLost(GranaryClient client, long[] cids, int[] own) {
        long lost = 0;
        for (int from = 0; from < own.length; from += MOST_AT_ONCE) {
            int[] part = Arrays.copyOfRange(own, from, Math.min(own.length, from + MOST_AT_ONCE));
            long[] wanted = Arrays.stream(part).mapToLong(index -> cids[index]).toArray();
            List<byte @Nullable []> found;
            try {
                found = client.getAll(wanted);
            } catch (GranaryException e) {
                System.err.println(e.getMessage());
                lost += part.length;
                continue;
            }
            for (int i = 0; i < part.length; i++) {
                lost += Arrays.equals(found.get(i), ChunkValues.of(part[i])) ? 0 : 1;
            }
        }
        return lost;
    }
}
