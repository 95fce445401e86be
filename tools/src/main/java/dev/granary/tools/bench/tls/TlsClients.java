package dev.granary.tools.bench.tls;

import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.cluster.LocalTls;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.ClientOptions;
import dev.granary.client.ClientTls;
import dev.granary.client.Place;
import dev.granary.overlay.HostAddress;
import dev.granary.tools.bench.process.ProcessFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** The clients of one cluster, which do the work of each case. One case at a time. */
final class TlsClients implements AutoCloseable {

    /** The cases, in the order in which they are measured. */
    static final List<String> CASES =
            List.of("get-1", "get-16", "get-batch", "put-1", "put-16", "put-batch", "door-get-1", "door-get-16");

    private static final int CHUNKS = 10_000;
    private static final int CHUNK_BYTES = 64;
    private static final int BATCH = 1_000;
    private static final int MANY = 16;

    /** How many batches are under way at once. */
    private static final int BATCHES = 2;

    private static final long HIGHEST_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int DIGITS = 2;
    private static final long SEED = 1;

    private final AsyncGranaryClient client;
    private final DoorClient door;
    private final long[] cids;

    /** Those of the cluster, and this process. */
    private final List<Long> pids;

    private final byte[] value = new byte[CHUNK_BYTES];
    private final SplittableRandom random = new SplittableRandom(SEED);

    /**
     * What was done in a while.
     *
     * @param perSecond chunks or keys
     * @param p99Micros of the latencies of one request, which has many chunks in a batch
     * @param cpuMicros processor time of the cluster and of this process for each chunk or key
     */
    record Got(double perSecond, double p99Micros, double cpuMicros) {}

    TlsClients(LocalCluster cluster) throws IOException {
        Path files = LocalTls.exists(cluster.directory()) ? LocalTls.clientDirectory(cluster.directory()) : null;
        ClientOptions options = ClientOptions.builder()
                .addresses(cluster.addresses())
                .deadline(Duration.ofSeconds(30))
                .tls(files == null ? null : ClientTls.ofDirectory(files))
                .build();
        this.pids = Stream.concat(
                        cluster.state().nodes().stream().map(NodeState::pid),
                        Stream.of(ProcessHandle.current().pid()))
                .toList();
        this.client = AsyncGranaryClient.connect(options);
        this.cids = client.createAll(Collections.nCopies(CHUNKS, value), Place.anywhere())
                .join();
        HostAddress address = cluster.redisAddresses().getFirst();
        this.door = new DoorClient(address, files, CHUNK_BYTES);
    }

    /** Works for a while. */
    Got run(String name, long millis) throws InterruptedException, IOException {
        return switch (name) {
            case "get-1" -> asynchronous(millis, 1, 1, () -> client.get(cid()));
            case "get-16" -> asynchronous(millis, MANY, 1, () -> client.get(cid()));
            case "get-batch" -> asynchronous(millis, BATCHES, BATCH, () -> client.getAll(some()));
            case "put-1" -> asynchronous(millis, 1, 1, () -> client.put(cid(), value));
            case "put-16" -> asynchronous(millis, MANY, 1, () -> client.put(cid(), value));
            case "put-batch" ->
                asynchronous(millis, BATCHES, BATCH, () -> client.putAll(some(), Collections.nCopies(BATCH, value)));
            case "door-get-1" -> pipelined(millis, 1);
            case "door-get-16" -> pipelined(millis, MANY);
            default -> throw new IllegalArgumentException("there is no case '" + name + "'");
        };
    }

    private long cid() {
        return cids[random.nextInt(CHUNKS)];
    }

    private long[] some() {
        int first = random.nextInt(CHUNKS - BATCH);
        return Arrays.copyOfRange(cids, first, first + BATCH);
    }

    /**
     * Keeps requests under way.
     *
     * @param atOnce how many
     * @param each how many chunks one request has
     */
    private Got asynchronous(long millis, int atOnce, int each, Supplier<CompletableFuture<?>> request)
            throws InterruptedException, IOException {
        Histogram latencies = new ConcurrentHistogram(HIGHEST_NANOS, DIGITS);
        Semaphore room = new Semaphore(atOnce);
        long cpuBefore = ProcessFigures.cpuNanos(pids);
        long begin = System.nanoTime();
        long end = begin + TimeUnit.MILLISECONDS.toNanos(millis);
        while (true) {
            room.acquire();
            long now = System.nanoTime();
            if (now >= end) {
                room.release();
                break;
            }
            var _ = request.get().whenComplete((result, failure) -> {
                if (failure == null) {
                    latencies.recordValue(Math.min(HIGHEST_NANOS, System.nanoTime() - now));
                }
                room.release();
            });
        }
        room.acquire(atOnce);
        return got(latencies, each, begin, cpuBefore);
    }

    private Got pipelined(long millis, int pipeline) throws IOException {
        Histogram latencies = new Histogram(HIGHEST_NANOS, DIGITS);
        long cpuBefore = ProcessFigures.cpuNanos(pids);
        long begin = System.nanoTime();
        long end = begin + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long now = begin; now < end; now = System.nanoTime()) {
            door.get(pipeline);
            latencies.recordValue(Math.min(HIGHEST_NANOS, System.nanoTime() - now));
        }
        return got(latencies, pipeline, begin, cpuBefore);
    }

    private Got got(Histogram latencies, int each, long begin, long cpuBefore) throws IOException {
        double elapsed = (System.nanoTime() - begin) / 1e9;
        double done = (double) latencies.getTotalCount() * each;
        double cpuMicros = (ProcessFigures.cpuNanos(pids) - cpuBefore) / 1e3;
        return new Got(done / elapsed, latencies.getValueAtPercentile(99) / 1e3, cpuMicros / done);
    }

    @Override
    public void close() throws IOException {
        door.close();
        client.close();
    }
}
