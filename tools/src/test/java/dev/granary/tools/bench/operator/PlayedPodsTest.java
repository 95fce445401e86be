package dev.granary.tools.bench.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.granary.cli.base.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@link PlayedPods} makes at an API server, and what its super-peers tell. */
class PlayedPodsTest {
    private static final String PODS = "/api/v1/namespaces/bench/pods";
    private static final String SETS = "/apis/apps/v1/namespaces/bench/statefulsets";

    private final Map<String, JsonNode> created = new ConcurrentSkipListMap<>();
    private final Map<String, JsonNode> statuses = new ConcurrentSkipListMap<>();
    private final ConcurrentLinkedQueue<String> sets = new ConcurrentLinkedQueue<>();
    private final HttpServer server;
    private final Api api;
    private final PlayedPods pods;
    private final int port;

    PlayedPodsTest() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        api = new Api("http://127.0.0.1:" + server.getAddress().getPort(), "token", SSLContext.getDefault());
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        pods = new PlayedPods(api, port);
    }

    @BeforeEach
    void serve() {
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void close() {
        pods.close();
        api.close();
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String text = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            if (exchange.getRequestMethod().equals("POST")) {
                JsonNode object = Json.parse("a request", text);
                created.put(path + "/" + object.at("/metadata/name").asText(), object);
            } else if (exchange.getRequestMethod().equals("PATCH")) {
                statuses.put(path, Json.parse("a request", text).path("status"));
            }
            byte[] reply = (exchange.getRequestMethod().equals("GET")
                            ? "{\"items\":[" + String.join(",", sets) + "]}"
                            : "{}")
                    .getBytes(UTF_8);
            exchange.sendResponseHeaders(200, reply.length);
            exchange.getResponseBody().write(reply);
        }
    }

    private void cluster(String name) {
        for (String role : List.of("super-peer", "storage")) {
            sets.add("""
                    {"metadata": {"name": "%s-%s", "namespace": "bench", "generation": 4, "labels":
                     {"granary.dev/cluster": "%s", "app.kubernetes.io/component": "%s"}}}
                    """.formatted(name, role, name, role));
        }
    }

    private HttpResponse<String> status(String address) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://" + address + ":" + port + "/status"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private JsonNode statusOf(String path) {
        return Objects.requireNonNull(statuses.get(path + "/status"));
    }

    private String addressOf(String pod) {
        return statusOf(PODS + "/" + pod).path("podIP").asText();
    }

    @Test
    void play_cluster_hasOneSuperPeerAndThreeStoragePeersThatAreReady() throws Exception {
        cluster("granary-0");
        pods.play();

        assertThat(created)
                .containsOnlyKeys(
                        PODS + "/granary-0-storage-0",
                        PODS + "/granary-0-storage-1",
                        PODS + "/granary-0-storage-2",
                        PODS + "/granary-0-super-peer-0");
        assertThat(created.values()).allSatisfy(pod -> {
            assertThat(pod.at("/metadata/labels/granary.dev~1cluster").asText()).isEqualTo("granary-0");
            assertThat(pod.at("/metadata/labels/granary.dev~1guarded").asText()).isEqualTo("true");
        });
        assertThat(BenchOperatorCommand.isTrue(
                        Json.tree(Map.of("status", statusOf(PODS + "/granary-0-storage-1"))), "Ready"))
                .isTrue();
        JsonNode storage = statusOf(SETS + "/granary-0-storage");
        assertThat(storage.path("readyReplicas").asInt()).isEqualTo(3);
        assertThat(storage.path("observedGeneration").asInt()).isEqualTo(4);
        assertThat(storage.path("currentRevision")).isEqualTo(storage.path("updateRevision"));
        assertThat(statusOf(SETS + "/granary-0-super-peer").path("replicas").asInt())
                .isEqualTo(1);
    }

    @Test
    void play_again_makesOnlyPodsOfNewSets() throws Exception {
        cluster("granary-0");
        pods.play();
        created.clear();
        pods.play();
        assertThat(created).isEmpty();
        cluster("granary-1");
        pods.play();
        assertThat(created).hasSize(4).allSatisfy((path, pod) -> assertThat(path)
                .contains("granary-1-"));
    }

    /** The operator tells clusters apart by the addresses of their super-peers. */
    @Test
    void status_manyClusters_eachTellsItsOwnAtItsOwnAddress() throws Exception {
        for (int i = 0; i < 120; i++) {
            cluster("granary-" + i);
        }
        pods.play();
        List<String> addresses = statuses.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(PODS))
                .map(entry -> entry.getValue().path("podIP").asText())
                .toList();
        assertThat(addresses).hasSize(480).doesNotHaveDuplicates();
        for (String name : List.of("granary-0", "granary-57", "granary-119")) {
            JsonNode told = Json.parse(
                    "a status", status(addressOf(name + "-super-peer-0")).body());
            assertThat(told.path("clusterId").asText()).isEqualTo("cluster-" + name);
            assertThat(told.at("/ring/complete").asBoolean()).isTrue();
            assertThat(told.path("storagePeers"))
                    .hasSize(3)
                    .allSatisfy(peer -> assertThat(peer.path("name").asText()).startsWith(name + "-storage-"));
        }
    }

    @Test
    void status_addressOfNoSuperPeer_isNotFound() throws Exception {
        cluster("granary-0");
        pods.play();
        assertThat(status(addressOf("granary-0-storage-0")).statusCode()).isEqualTo(404);
    }
}
