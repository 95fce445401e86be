package dev.granary.tools.train;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ClusterLook;
import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.GranaryClient;
import dev.granary.client.Place;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The work that the servers of a cluster do while they are recorded. There is enough of each kind that the JVM compiles
 * the code.
 */
final class Training {

    /** The storage peer that lives through the whole training. */
    static final String RECORDED_PEER = "storage-0";

    private static final String FIRST_VICTIM = "storage-4";
    private static final String LEAVER = "storage-3";
    private static final String SECOND_VICTIM = "storage-2";

    /**
     * All work. Each zone has three copies, and one more peer can die. The JVM records only code that it compiled: with
     * a tenth of the chunks recoveries were as slow as without a cache.
     */
    static final Form WHOLE = new Form(3, 5, 3, 1_000_000, 200);

    /** Without deaths: enough for a start, at half the price. */
    static final Form SHORT = new Form(1, 3, 2, 100_000, 20);

    private static final int BATCH = 10_000;
    private static final int CHUNK_BYTES = 64;
    private static final int AT_ONCE = 256;
    private static final int NAMES = 50;
    private static final int VISITS = 10;
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final Duration LOCK_TIME = Duration.ofSeconds(5);

    private final LocalCluster cluster;
    private final Supplier<LocalCluster> startMissing;
    private final Form form;

    /**
     * How much is done, and by which cluster.
     *
     * @param backups the number of copies of a zone
     * @param rounds how often many single operations are done at a time
     */
    record Form(int superPeers, int storagePeers, int backups, int chunks, int rounds) {

        /** Whether there are enough peers that some of them can go. */
        boolean hasDeaths() {
            return storagePeers > backups + 1;
        }
    }

    /**
     * Prepares the work for a running cluster.
     *
     * @param startMissing starts the peers that do not run any more
     */
    Training(LocalCluster cluster, Supplier<LocalCluster> startMissing, Form form) {
        this.cluster = cluster;
        this.startMissing = startMissing;
        this.form = form;
    }

    /** Does all work and returns the cluster afterwards. */
    LocalCluster run() throws IOException {
        try (GranaryClient client =
                GranaryClient.connect(cluster.administratorOptions().withDeadline(DEADLINE))) {
            List<Integer> nids = ClusterLook.nids(client);
            List<long[]> batches = createBatches(client, nids);
            singly(client.async(), nids);
            changeBatches(client, batches);
            namesAndLocks(client, batches.getFirst());
            visitPages();
            ClusterLook.awaitCopies(client);
            if (!form.hasDeaths()) {
                read(client, batches);
                return cluster;
            }
            end(FIRST_VICTIM, ProcessHandle::destroyForcibly);
            read(client, batches);
            end(LEAVER, ProcessHandle::destroy);
            LocalCluster whole = startMissing.get();
            read(client, batches);
            ClusterLook.awaitCopies(client);
            end(SECOND_VICTIM, ProcessHandle::destroyForcibly);
            read(client, batches);
            return whole;
        }
    }

    private List<long[]> createBatches(GranaryClient client, List<Integer> nids) {
        List<byte[]> values = Collections.nCopies(BATCH, new byte[CHUNK_BYTES]);
        List<long[]> batches = new ArrayList<>();
        for (int i = 0; i < form.chunks() / BATCH; i++) {
            batches.add(client.createAll(values, Place.on(nids.get(i % nids.size()))));
        }
        return batches;
    }

    /** Creates, gets, puts and deletes chunks one by one, many at a time. */
    private void singly(AsyncGranaryClient client, List<Integer> nids) {
        for (int round = 0; round < form.rounds(); round++) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            Place place = Place.on(nids.get(round % nids.size()));
            for (int i = 0; i < AT_ONCE; i++) {
                byte[] longer = new byte[CHUNK_BYTES + i];
                all.add(client.create(new byte[CHUNK_BYTES], place).thenCompose(cid -> client.get(cid)
                        .thenCompose(value -> client.put(cid, value))
                        .thenCompose(done -> client.put(cid, longer))
                        .thenCompose(done -> client.get(cid))
                        .thenCompose(value -> client.delete(cid))));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
        }
    }

    private static void changeBatches(GranaryClient client, List<long[]> batches) {
        for (long[] cids : batches) {
            client.putAll(cids, Collections.nCopies(cids.length, new byte[CHUNK_BYTES]));
            client.getAll(cids);
        }
        // Gives work to the cleaner and to defragmentation.
        client.deleteAll(batches.removeLast());
        client.deleteAll(batches.removeLast());
    }

    private static void read(GranaryClient client, List<long[]> batches) {
        batches.forEach(client::getAll);
    }

    private static void namesAndLocks(GranaryClient client, long[] cids) {
        for (int i = 0; i < NAMES; i++) {
            client.names().put("train/" + i, cids[i]);
            client.names().get("train/" + i);
            try (var lock = client.lock(cids[i], LOCK_TIME, LOCK_TIME)) {
                lock.put(new byte[CHUNK_BYTES]);
            }
        }
        client.names().list("train/");
    }

    /** Reads the HTTP pages that Kubernetes and Prometheus read. */
    private void visitPages() throws IOException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            for (int i = 0; i < VISITS; i++) {
                for (NodeState node : cluster.state().nodes()) {
                    for (String page : List.of("healthz", "readyz", "metrics", "status")) {
                        URI uri = URI.create("http://127.0.0.1:" + node.httpPort() + "/" + page);
                        http.send(
                                HttpRequest.newBuilder(uri).timeout(DEADLINE).build(),
                                HttpResponse.BodyHandlers.discarding());
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }

    /** Ends a storage peer with the given action and waits until it is gone. */
    private void end(String name, Consumer<ProcessHandle> how) {
        NodeState node = cluster.state().nodes().stream()
                .filter(known -> known.name().equals(name))
                .findFirst()
                .orElseThrow();
        ProcessHandle process =
                ProcessHandle.of(node.pid()).orElseThrow(() -> new UserException(name + " does not run any more"));
        how.accept(process);
        process.onExit().orTimeout(DEADLINE.toSeconds(), TimeUnit.SECONDS).join();
    }
}
