package dev.granary.bench;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.net.message.LeaseMessages.PeerInfo;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;

/**
 * Measures chunks per second through the Java client against a running cluster, latencies of single gets, and the
 * processor time of each chunk: in this process, and in the storage peers by their {@code process_cpu_seconds_total}
 * (lease traffic included). Run it with the address of a super-peer: {@code NetworkBench 127.0.0.1:7400}. The last of
 * several rounds counts.
 */
public final class NetworkBench implements AutoCloseable {

    private static final int CHUNKS = 200_000;
    private static final int CHUNK_BYTES = 32;
    private static final int ROUNDS = 4;
    private static final int WAITING_GETS = 20_000;
    private static final int PIPELINED_REQUESTS = 300_000;
    private static final int BATCHED_CHUNKS = 2_000_000;
    private static final int[] BATCHES = {100, 1_000, 10_000};
    private static final int IN_FLIGHT = 256;

    private final GranaryClient client;
    private final HttpClient http = HttpClient.newHttpClient();
    private final SplittableRandom random = new SplittableRandom(1);
    private final byte[] value = new byte[CHUNK_BYTES];
    private final List<byte[]> values = Collections.nCopies(CHUNKS, value);
    private long[] cids = {};

    private NetworkBench(String seed) {
        client = GranaryClient.connect(ClientOptions.of(seed));
    }

    /** Runs all measurements; takes about a minute on two free processors. */
    public static void main(String[] args) throws Exception {
        try (NetworkBench bench = new NetworkBench(args[0])) {
            bench.run();
        }
    }

    private void run() throws Exception {
        System.out.printf("%-36s %12s %12s %12s%n", "", "chunks/s", "client ns", "peers ns");
        for (int round = 0; round < ROUNDS; round++) {
            if (cids.length > 0) {
                measure("delete, one batch", CHUNKS, () -> client.deleteAll(cids));
            }
            measure("create, one batch", CHUNKS, () -> cids = client.createAll(values, Place.anywhere()));
        }
        for (int round = 0; round < ROUNDS; round++) {
            waitingGets();
        }
        for (int round = 0; round < ROUNDS; round++) {
            measure(
                    "get one by one, 256 in flight",
                    PIPELINED_REQUESTS,
                    () -> pipeline(i -> client.async().get(any())));
        }
        for (int round = 0; round < ROUNDS; round++) {
            measure(
                    "put one by one, 256 in flight",
                    PIPELINED_REQUESTS,
                    () -> pipeline(i -> client.async().put(any(), value)));
        }
        for (int batch : BATCHES) {
            for (int round = 0; round < ROUNDS; round++) {
                measure("get in batches of " + batch, BATCHED_CHUNKS, () -> batches(batch));
            }
        }
        client.deleteAll(cids);
    }

    private long any() {
        return cids[random.nextInt(cids.length)];
    }

    private void waitingGets() throws Exception {
        long[] nanos = new long[WAITING_GETS];
        measure("get one by one, waiting", WAITING_GETS, () -> {
            for (int i = 0; i < WAITING_GETS; i++) {
                long start = System.nanoTime();
                client.get(any());
                nanos[i] = System.nanoTime() - start;
            }
        });
        Arrays.sort(nanos);
        System.out.printf(
                "    p50 %.1f us, p99 %.1f us%n", nanos[WAITING_GETS / 2] / 1e3, nanos[WAITING_GETS * 99 / 100] / 1e3);
    }

    private void pipeline(IntFunction<CompletableFuture<?>> request) throws InterruptedException {
        Semaphore window = new Semaphore(IN_FLIGHT);
        CompletableFuture<Void> firstFailure = new CompletableFuture<>();
        for (int i = 0; i < PIPELINED_REQUESTS; i++) {
            window.acquire();
            var _ = request.apply(i).whenComplete((answer, failure) -> {
                window.release();
                if (failure != null) {
                    firstFailure.completeExceptionally(failure);
                }
            });
        }
        window.acquire(IN_FLIGHT);
        firstFailure.complete(null);
        firstFailure.join();
    }

    private void batches(int batch) {
        long[] wanted = new long[batch];
        for (int done = 0; done < BATCHED_CHUNKS; done += batch) {
            Arrays.setAll(wanted, i -> any());
            List<byte[]> got = client.getAll(wanted);
            if (got.contains(null)) {
                throw new IllegalStateException("a chunk is missing");
            }
        }
    }

    /** The work to measure. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private void measure(String what, int chunks, Work work) throws Exception {
        double peersBefore = peersCpuSeconds();
        long cpuBefore = cpuNanos();
        long start = System.nanoTime();
        work.run();
        long passed = System.nanoTime() - start;
        long cpu = cpuNanos() - cpuBefore;
        double peersCpu = (peersCpuSeconds() - peersBefore) * 1e9;
        System.out.printf(
                "%-36s %,12.0f %,12d %,12.0f%n", what, chunks * 1e9 / passed, cpu / chunks, peersCpu / chunks);
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }

    private double peersCpuSeconds() throws IOException, InterruptedException {
        double sum = 0;
        for (PeerInfo peer : ClusterAdmin.of(client).view().livePeers()) {
            URI uri = URI.create("http://" + peer.httpAddress() + "/metrics");
            String text = http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            sum += text.lines()
                    .filter(line -> line.startsWith("process_cpu_seconds_total "))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                    .sum();
        }
        return sum;
    }

    @Override
    public void close() {
        http.close();
        client.close();
    }
}
