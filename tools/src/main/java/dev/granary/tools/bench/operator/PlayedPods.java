package dev.granary.tools.bench.operator;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.granary.cli.base.Json;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * Plays the parts behind a StatefulSet: its controller, which makes the pods; a kubelet, which reports that they run;
 * and the super-peer, which reports the status of a cluster of one super-peer and three storage peers. Each cluster has
 * its own address in 127.0.0.0/8.
 */
final class PlayedPods implements AutoCloseable {
    private static final String SETS =
            "/apis/apps/v1/statefulsets?labelSelector=app.kubernetes.io/managed-by=granary-operator";
    private static final String REVISION = "played";

    /** Where the operator asks super-peers for their status. */
    static final int HTTP_PORT = 7401;

    private static final int STORAGE_PEERS = 3;
    private static final int MAX_CONNECTIONS = 4_000;

    private final Api api;
    private final HttpServer superPeers;
    private final Set<String> played = new HashSet<>();
    private final Map<String, String> clusterOfAddress = new ConcurrentHashMap<>();

    /**
     * Listens for the operator.
     *
     * @param httpPort where the super-peers answer, at all addresses of this machine
     */
    PlayedPods(Api api, int httpPort) throws IOException {
        this.api = api;
        // With more idle connections than this (200 by default) the server closes a connection that the operator is
        // about to use again. Real clusters have a server each.
        System.setProperty("sun.net.httpserver.maxIdleConnections", Integer.toString(MAX_CONNECTIONS));
        superPeers = HttpServer.create(new InetSocketAddress(httpPort), 64);
        superPeers.createContext("/status", this::tellStatus);
        superPeers.setExecutor(Executors.newFixedThreadPool(4));
        superPeers.start();
    }

    /** Makes the pods of StatefulSets that have none yet. */
    void play() throws IOException, InterruptedException {
        List<AtOnce.Task> plays = new ArrayList<>();
        for (JsonNode set : api.metadata(SETS).path("items")) {
            JsonNode meta = set.path("metadata");
            if (played.add(meta.path("name").asText())) {
                int number = played.size();
                plays.add(() -> play(meta, number));
            }
        }
        AtOnce.run(plays);
    }

    private void play(JsonNode set, int number) throws IOException, InterruptedException {
        String namespace = set.path("namespace").asText();
        String name = set.path("name").asText();
        boolean storage = name.endsWith("-storage");
        int pods = storage ? STORAGE_PEERS : 1;
        for (int ordinal = 0; ordinal < pods; ordinal++) {
            String pod = name + "-" + ordinal;
            String address = address(number, ordinal);
            if (!storage) {
                clusterOfAddress.put(
                        address, set.path("labels").path("granary.dev/cluster").asText());
            }
            api.create("/api/v1/namespaces/" + namespace + "/pods", pod(pod, set.path("labels")));
            api.patchStatus("/api/v1/namespaces/" + namespace + "/pods/" + pod, podStatus(address));
        }
        api.patchStatus(
                "/apis/apps/v1/namespaces/" + namespace + "/statefulsets/" + name,
                Map.of(
                        "observedGeneration",
                        set.path("generation").asLong(),
                        "replicas",
                        pods,
                        "readyReplicas",
                        pods,
                        "currentRevision",
                        REVISION,
                        "updateRevision",
                        REVISION));
    }

    /** A loopback address: 127.10.x.y for super-peers, which the operator asks, other ones for storage peers. */
    private static String address(int set, int ordinal) {
        return "127." + (10 + ordinal) + "." + set / 200 + "." + (set % 200 + 1);
    }

    private static Map<String, ?> pod(String name, JsonNode setLabels) {
        Map<String, String> labels = new TreeMap<>();
        setLabels
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        labels.put("granary.dev/guarded", "true");
        labels.put("controller-revision-hash", REVISION);
        return Map.of(
                "metadata",
                Map.of("name", name, "labels", labels),
                "spec",
                Map.of("containers", List.of(Map.of("name", "granary", "image", "localhost/granary:bench"))));
    }

    private static Map<String, ?> podStatus(String address) {
        String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        return Map.of(
                "phase",
                "Running",
                "podIP",
                address,
                "podIPs",
                List.of(Map.of("ip", address)),
                "conditions",
                List.of(Map.of("type", "Ready", "status", "True", "lastTransitionTime", now)),
                "containerStatuses",
                List.of(Map.of(
                        "name",
                        "granary",
                        "image",
                        "localhost/granary:bench",
                        "imageID",
                        "",
                        "ready",
                        true,
                        "restartCount",
                        0,
                        "state",
                        Map.of("running", Map.of("startedAt", now)))));
    }

    private void tellStatus(HttpExchange exchange) throws IOException {
        try (exchange) {
            String cluster =
                    clusterOfAddress.get(exchange.getLocalAddress().getAddress().getHostAddress());
            if (cluster == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            byte[] body = Json.compact(status(cluster)).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** The part of docs/formats/status.md that the operator reads. */
    private static Map<String, ?> status(String cluster) {
        Map<String, ?> superPeer = Map.of(
                "nid",
                "0x0001",
                "name",
                cluster + "-super-peer-0",
                "reachable",
                true,
                "votes",
                2,
                "arcServedBy",
                "0x0001");
        Map<String, ?> ring = Map.of(
                "epoch",
                1,
                "size",
                1,
                "expectedSize",
                1,
                "complete",
                true,
                "recommendedSize",
                1,
                "votersKnown",
                true,
                "superPeers",
                List.of(superPeer),
                "candidates",
                List.of(),
                "operation",
                Map.of());
        return Map.of(
                "clusterId",
                "cluster-" + cluster,
                "ring",
                ring,
                "storagePeers",
                IntStream.range(0, STORAGE_PEERS)
                        .mapToObj(ordinal -> storagePeer(cluster, ordinal))
                        .toList(),
                "zones",
                Map.of("inSync", 3, "degraded", 0, "recovering", 0, "lost", 0, "recovered", 0, "recoveries", List.of()),
                "totals",
                Map.of(
                        "superPeers", 1,
                        "storagePeers", STORAGE_PEERS,
                        "livePeers", STORAGE_PEERS,
                        "ranges", 3,
                        "chunks", 3_000_000,
                        "payloadBytes", 96_000_000,
                        "bookkeepingBytes", 1_000_000,
                        "usedBytes", 97_000_000,
                        "capacityBytes", 5_000_000_000L));
    }

    private static Map<String, ?> storagePeer(String cluster, int ordinal) {
        Map<String, Object> peer = new TreeMap<>();
        peer.put("nid", "0x800" + ordinal);
        peer.put("name", cluster + "-storage-" + ordinal);
        peer.put("state", "live");
        peer.put("epoch", 1);
        peer.put("chunks", 1_000_000);
        peer.put("payloadBytes", 32_000_000);
        peer.put("usedBytes", 33_000_000);
        peer.put("capacityBytes", 1_700_000_000);
        peer.put("lostLidsBelow", 1);
        peer.put("drain", "none");
        peer.put("usesPerSecond", 0);
        peer.put("zones", 1);
        peer.put("copies", 2);
        return peer;
    }

    @Override
    public void close() {
        superPeers.stop(0);
        if (superPeers.getExecutor() instanceof java.util.concurrent.ExecutorService threads) {
            threads.shutdownNow();
        }
    }
}
