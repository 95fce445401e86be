package dev.granary.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.Json;
import dev.granary.cli.UserException;
import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.Nid;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A cluster of processes on this machine that is measured; they end with it, and with this process. */
final class MeasuredCluster implements AutoCloseable {

    /** As many as keep a majority when one dies; nobody kills one here. */
    static final int SUPER_PEERS = 3;

    private static final long MIB = 1 << 20;
    private static final Duration DEADLINE = Duration.ofSeconds(90);
    private static final long COPIES_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(240);
    private static final long LOOK_MILLIS = 500;

    private final LocalCluster cluster;
    private final Thread end;

    private MeasuredCluster(LocalCluster cluster) {
        this.cluster = cluster;
        this.end = new Thread(() -> cluster.stop(step -> {}), "end-of-measured-cluster");
        Runtime.getRuntime().addShutdownHook(end);
    }

    /**
     * Starts one.
     *
     * @param directory of its files, which is empty
     * @param memoryBytes of chunks on each storage peer
     * @param backups of each zone, as far as there are peers
     * @param lease such as {@code 1s}
     */
    static MeasuredCluster start(Path directory, int peers, long memoryBytes, int backups, String lease) {
        Map<String, String> settings = Map.of("zone.backups", Integer.toString(backups), "lease.duration", lease);
        String memory = (memoryBytes + MIB - 1) / MIB + "Mi";
        return new MeasuredCluster(LocalCluster.start(
                directory, new LocalCluster.Plan(SUPER_PEERS, peers, memory, 0, settings), step -> {}));
    }

    GranaryClient connect() {
        return GranaryClient.connect(ClientOptions.of(cluster.seeds()).withDeadline(DEADLINE));
    }

    /** The storage peer that was started last. */
    NodeState lastPeer() {
        return cluster.state().nodes().getLast();
    }

    /** The NIDs of all storage peers. */
    static List<Integer> nids(GranaryClient client) {
        return status(client).path("storagePeers").findValuesAsText("nid").stream()
                .map(Nid::parse)
                .toList();
    }

    /** The NID of a storage peer. */
    static int nidOf(GranaryClient client, String name) {
        for (JsonNode peer : status(client).path("storagePeers")) {
            if (peer.path("name").asText().equals(name)) {
                return Nid.parse(peer.path("nid").asText());
            }
        }
        throw new UserException("there is no storage peer " + name);
    }

    /** Waits until every zone has all its copies. */
    static void awaitCopies(GranaryClient client) {
        long begin = System.nanoTime();
        JsonNode zones;
        do {
            pause();
            zones = status(client).path("zones");
            if (System.nanoTime() - begin > COPIES_LIMIT_NANOS) {
                throw new UserException("not all copies are there after "
                        + TimeUnit.NANOSECONDS.toSeconds(COPIES_LIMIT_NANOS) + " s: " + zones);
            }
        } while (zones.path("degraded").asInt() > 0
                || zones.path("recovering").asInt() > 0
                || zones.path("inSync").asInt() == 0);
    }

    private static JsonNode status(GranaryClient client) {
        return Json.parse("the cluster's status", client.statusJson());
    }

    /** Before something is asked again. */
    static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted", e);
        }
    }

    @Override
    public void close() {
        cluster.stop(step -> {});
        try {
            Runtime.getRuntime().removeShutdownHook(end);
        } catch (IllegalStateException e) {
            // This process is ending already.
        }
    }
}
