package dev.granary.e2e.containers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.Network.Ipam;
import dev.granary.client.ClientOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.testcontainers.containers.Network;

/**
 * Three super-peers and some storage peers, each in a container, on a network of their own. This machine is on that
 * network, too.
 */
final class ContainerCluster implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PREFIX = "172.31.241.";
    private static final int SUPER_PEERS = 3;
    private static final int FIRST_SUPER_PEER = 10;
    private static final int FIRST_STORAGE_PEER = 20;
    private static final int PORT = 7400;
    private static final int HTTP_PORT = 7401;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Network network = Network.builder()
            .createNetworkCmdModifier(
                    command -> command.withIpam(new Ipam().withConfig(new Ipam.Config().withSubnet(PREFIX + "0/24"))))
            .build();
    private final List<Node> superPeers = new ArrayList<>();
    private final List<Node> storagePeers = new ArrayList<>();

    /** Starts a cluster whose leases have this length, and waits until all its peers serve. */
    static ContainerCluster start(int storagePeers, int leaseSeconds) {
        return start(storagePeers, 0, Map.of("GRANARY_LEASE_DURATION", leaseSeconds + "s"));
    }

    /**
     * Starts a cluster with default settings and small disks of the storage peers.
     *
     * @param diskBytes size of each disk, which is in RAM and gone when the process ends
     */
    static ContainerCluster startWithSmallDisks(int storagePeers, long diskBytes) {
        return start(storagePeers, diskBytes, Map.of());
    }

    private static ContainerCluster start(int storagePeers, long diskBytes, Map<String, String> options) {
        ContainerCluster cluster = new ContainerCluster();
        boolean done = false;
        try {
            cluster.startNodes(storagePeers, diskBytes, options);
            done = true;
            return cluster;
        } finally {
            if (!done) {
                cluster.close();
            }
        }
    }

    private void startNodes(int count, long diskBytes, Map<String, String> options) {
        String seeds = IntStream.range(0, SUPER_PEERS)
                .mapToObj(i -> PREFIX + (FIRST_SUPER_PEER + i) + ":" + PORT)
                .collect(Collectors.joining(","));
        for (int i = 0; i < SUPER_PEERS; i++) {
            Map<String, String> own = new HashMap<>(options);
            own.put("GRANARY_CLUSTER_SEEDS", seeds);
            own.put("GRANARY_RING_SIZE", Integer.toString(SUPER_PEERS));
            own.put("GRANARY_RING_BOOTSTRAP", Boolean.toString(i == 0));
            String address = PREFIX + (FIRST_SUPER_PEER + i);
            superPeers.add(new Node(network, "super-peer-" + i, address, "super-peer", configuration(own), 0));
        }
        for (int i = 0; i < count; i++) {
            storagePeers.add(new Node(
                    network,
                    "storage-" + i,
                    PREFIX + (FIRST_STORAGE_PEER + i),
                    "storage-node",
                    configuration(Map.of("GRANARY_CLUSTER_SEEDS", seeds, "GRANARY_MEMORY_SIZE", "64Mi")),
                    diskBytes));
        }
        superPeers.forEach(Node::start);
        storagePeers.forEach(Node::start);
        awaitLivePeers(count);
    }

    private static Map<String, String> configuration(Map<String, String> own) {
        Map<String, String> all = new HashMap<>(own);
        all.put("GRANARY_LISTEN_PORT", Integer.toString(PORT));
        all.put("GRANARY_HTTP_PORT", Integer.toString(HTTP_PORT));
        all.put("GRANARY_JVM_OPTIONS", "-Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1");
        return all;
    }

    List<Node> superPeers() {
        return List.copyOf(superPeers);
    }

    List<Node> storagePeers() {
        return List.copyOf(storagePeers);
    }

    List<Node> nodes() {
        List<Node> all = new ArrayList<>(superPeers);
        all.addAll(storagePeers);
        return all;
    }

    /** Returns a client's default settings, with all super-peers as seeds. */
    ClientOptions clientOptions() {
        return ClientOptions.of(
                superPeers.stream().map(each -> each.address() + ":" + PORT).toArray(String[]::new));
    }

    void awaitLivePeers(int count) {
        await(
                count + " live storage peers",
                status -> status.at("/totals/livePeers").asInt() == count);
    }

    /** Waits until every zone has all copies that it should have. */
    void awaitCopies() {
        await("all copies of all zones", status -> {
            JsonNode zones = status.path("zones");
            return zones.path("inSync").asInt() > 0
                    && zones.path("degraded").asInt() == 0
                    && zones.path("recovering").asInt() == 0;
        });
    }

    /** Waits until the status is as wanted; any super-peer that answers reports it. */
    JsonNode await(String what, Predicate<JsonNode> wanted) {
        return Awaitility.await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(300))
                .ignoreExceptions()
                .until(this::status, wanted);
    }

    /** Returns the status from the first super-peer that answers. */
    JsonNode status() {
        try (HttpClient http =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build()) {
            for (Node each : superPeers) {
                JsonNode status = status(http, each);
                if (!status.isMissingNode()) {
                    return status;
                }
            }
        }
        throw new AssertionError("no super-peer tells its status");
    }

    private static JsonNode status(HttpClient http, Node node) {
        URI uri = URI.create("http://" + node.address() + ":" + HTTP_PORT + "/status");
        try {
            return JSON.readTree(http.send(
                            HttpRequest.newBuilder(uri)
                                    .timeout(Duration.ofSeconds(2))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body());
        } catch (java.net.http.HttpTimeoutException | java.net.ConnectException e) {
            return JSON.missingNode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        nodes().forEach(Node::close);
        network.close();
    }
}
