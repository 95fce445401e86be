package dev.granary.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.Json;
import dev.granary.cli.UserException;
import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.Place;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Recovery and replication of a whole cluster of processes on this machine: {@code recovery} kills a storage peer and takes
 * the time until its chunks are served again; {@code replicated-put} compares puts with and without backups.
 */
final class ClusterRecovery {

    /** The cases by their names. */
    static final List<String> CASES = List.of("recovery", "replicated-put");

    private static final int VALUE_BYTES = 64;
    private static final int BATCH = 10_000;
    private static final int SAMPLES = 1_000;
    private static final int CREATE_ATTEMPTS = 5;
    private static final int PUT_CHUNKS = 100_000;
    private static final int PUT_BATCH = 1_000;
    private static final int PUTS_ON_THE_WAY = 8;
    /** Long enough for the compilers of all processes, which share the cores with what is measured. */
    private static final long WARM_UP_SECONDS = 15;

    private static final long PUT_SECONDS = 10;
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final long COPIES_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(240);
    private static final long LOOK_MILLIS = 500;

    /** How a super-peer says in its log that a lease has ended. */
    private static final String END_OF_LEASE = "a storage peer is declared dead";

    private final Path directory;

    /**
     * @param directory of the cluster's files, which is empty
     */
    ClusterRecovery(Path directory) {
        this.directory = directory;
    }

    /** Kills one of some storage peers that have so many chunks together, and returns a line of JSON. */
    String recovery(int peers, int chunks) {
        LocalCluster cluster = start(peers, 3, "1s");
        try (GranaryClient client = connect(cluster)) {
            List<Integer> nids = nids(client);
            long[] cids = new long[chunks];
            for (int from = 0; from < chunks; from += BATCH) {
                List<byte[]> values = new ArrayList<>();
                for (int i = from; i < Math.min(chunks, from + BATCH); i++) {
                    values.add(value(i));
                }
                Place place = Place.on(nids.get(from / BATCH % nids.size()));
                System.arraycopy(create(client, values, place), 0, cids, from, values.size());
            }
            awaitCopies(client);
            NodeState victim = cluster.state().nodes().getLast();
            int nid = nidOf(client, victim.name());
            int[] own = indexesOf(cids, nid);
            long[] unservedMillis = new long[Math.min(SAMPLES, own.length)];
            Instant killed = kill(victim);
            AtomicLong wrong = new AtomicLong();
            awaitSamples(client.async(), cids, own, unservedMillis, wrong);
            long lostWrites = wrong.get() + countLost(client, cids, own);
            Instant leaseEnd = leaseEnd(killed);
            long first = unservedMillis[0];
            long last = unservedMillis[unservedMillis.length - 1];
            long lease = Duration.between(killed, leaseEnd).toMillis();
            return String.format(
                    Locale.ROOT,
                    "{\"case\":\"recovery\",\"peers\":%d,\"chunks\":%d,\"chunksOfVictim\":%d,\"leaseEndMillis\":%d,"
                            + "\"recoveryMillis\":%d,\"firstChunkMillis\":%d,\"unservedP50Millis\":%d,"
                            + "\"unservedP99Millis\":%d,\"lostWrites\":%d}",
                    peers,
                    chunks,
                    own.length,
                    lease,
                    last - lease,
                    first - lease,
                    unservedMillis[unservedMillis.length / 2],
                    unservedMillis[unservedMillis.length * 99 / 100],
                    lostWrites);
        } finally {
            cluster.stop(step -> {});
        }
    }

    /** Creates chunks; a storage peer that has just started may miss the renewal of its short lease, so again if need be. */
    private static long[] create(GranaryClient client, List<byte[]> values, Place place) {
        for (int attempt = 1; ; attempt++) {
            try {
                return client.createAll(values, place);
            } catch (GranaryException e) {
                if (attempt == CREATE_ATTEMPTS) {
                    throw e;
                }
                pause();
            }
        }
    }

    /** Puts as fast as one client can, with three backups and with none, and returns a line of JSON. */
    static String replicatedPut(Path replicated, Path alone) {
        double with = new ClusterRecovery(replicated).putsPerSecond(3);
        double without = new ClusterRecovery(alone).putsPerSecond(0);
        return String.format(
                Locale.ROOT,
                "{\"case\":\"replicated-put\",\"peers\":4,\"chunks\":%d,\"replicatedPutsPerSecond\":%.0f,"
                        + "\"unreplicatedPutsPerSecond\":%.0f,\"replicatedPutShare\":%.3f}",
                PUT_CHUNKS,
                with,
                without,
                with / without);
    }

    private double putsPerSecond(int backups) {
        // Short leases would only measure whether the compilers leave a process time to renew one.
        LocalCluster cluster = start(4, backups, "10s");
        try (GranaryClient client = connect(cluster)) {
            List<byte[]> values = new ArrayList<>();
            for (int i = 0; i < PUT_CHUNKS; i++) {
                values.add(value(i));
            }
            long[] cids = client.createAll(values, Place.on(nids(client).getFirst()));
            if (backups > 0) {
                awaitCopies(client);
            }
            put(client.async(), cids, WARM_UP_SECONDS);
            return put(client.async(), cids, PUT_SECONDS);
        } finally {
            cluster.stop(step -> {});
        }
    }

    /** Puts batches, some of them at once, and returns how many puts were done in a second. */
    private static double put(AsyncGranaryClient client, long[] cids, long seconds) {
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < PUT_BATCH; i++) {
            values.add(value(i));
        }
        Semaphore room = new Semaphore(PUTS_ON_THE_WAY);
        AtomicLong done = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        long begin = System.nanoTime();
        for (int from = 0; System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(seconds); from += PUT_BATCH) {
            room.acquireUninterruptibly();
            long[] batch = Arrays.copyOfRange(cids, from % cids.length, from % cids.length + PUT_BATCH);
            CompletableFuture<ChunkOutcome[]> put = client.putAll(batch, values);
            var _ = put.whenComplete((outcome, failure) -> {
                room.release();
                (failure == null ? done : failed).addAndGet(PUT_BATCH);
            });
        }
        double took = (System.nanoTime() - begin) / 1e9;
        long counted = done.get();
        room.acquireUninterruptibly(PUTS_ON_THE_WAY);
        if (failed.get() > 0) {
            throw new UserException(failed.get() + " puts have failed");
        }
        return counted / took;
    }

    // The cluster.

    private LocalCluster start(int peers, int backups, String lease) {
        Map<String, String> settings = Map.of("zone.backups", Integer.toString(backups), "lease.duration", lease);
        return LocalCluster.start(directory, new LocalCluster.Plan(3, peers, "1Gi", 0, settings), step -> {});
    }

    private static GranaryClient connect(LocalCluster cluster) {
        return GranaryClient.connect(ClientOptions.of(cluster.seeds()).withDeadline(DEADLINE));
    }

    private static List<Integer> nids(GranaryClient client) {
        JsonNode status = Json.parse("the cluster's status", client.statusJson());
        return status.path("storagePeers").findValuesAsText("nid").stream()
                .map(Nid::parse)
                .toList();
    }

    private static int nidOf(GranaryClient client, String name) {
        for (JsonNode peer :
                Json.parse("the cluster's status", client.statusJson()).path("storagePeers")) {
            if (peer.path("name").asText().equals(name)) {
                return Nid.parse(peer.path("nid").asText());
            }
        }
        throw new UserException("there is no storage peer " + name);
    }

    private static void awaitCopies(GranaryClient client) {
        long begin = System.nanoTime();
        JsonNode zones;
        do {
            pause();
            zones = Json.parse("the cluster's status", client.statusJson()).path("zones");
            if (System.nanoTime() - begin > COPIES_LIMIT_NANOS) {
                throw new UserException("not all copies are there: " + zones);
            }
        } while (zones.path("degraded").asInt() > 0
                || zones.path("recovering").asInt() > 0
                || zones.path("inSync").asInt() == 0);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }

    private static Instant kill(NodeState victim) {
        ProcessHandle process = ProcessHandle.of(victim.pid())
                .orElseThrow(() -> new UserException(victim.name() + " does not run any more"));
        Instant now = Instant.now();
        process.destroyForcibly();
        return now;
    }

    /** When a super-peer has found that the lease of the killed one is over. */
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

    // Its chunks.

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

    /** Asks for chunks spread over those of the victim, all at once, and takes the time until each is served; sorted. */
    private static void awaitSamples(
            AsyncGranaryClient client, long[] cids, int[] own, long[] unservedMillis, AtomicLong wrong) {
        long begin = System.nanoTime();
        CompletableFuture<?>[] all = new CompletableFuture<?>[unservedMillis.length];
        for (int i = 0; i < all.length; i++) {
            int sample = i;
            int index = own[(int) ((long) i * own.length / all.length)];
            all[i] = client.get(cids[index]).handle((found, failure) -> {
                unservedMillis[sample] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
                if (failure != null || !Arrays.equals(found, value(index))) {
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
        for (int from = 0; from < own.length; from += BATCH) {
            int[] part = Arrays.copyOfRange(own, from, Math.min(own.length, from + BATCH));
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
                lost += Arrays.equals(found.get(i), value(part[i])) ? 0 : 1;
            }
        }
        return lost;
    }

    private static byte[] value(int index) {
        ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
        while (value.hasRemaining()) {
            value.putLong(index);
        }
        return value.array();
    }
}
