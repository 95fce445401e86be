package dev.granary.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of a local cluster, as {@code cluster.json} in its directory holds it.
 *
 * @param bootstrapped whether the cluster has been made; afterwards no start in this directory makes another one
 * @param superPeers number of super-peers, fixed when the cluster is made
 * @param storagePeers number of storage peers
 * @param memory chunk memory of a storage peer, such as {@code 512Mi}
 * @param port port of the first super-peer, 0 for any
 * @param redisPort port for Redis clients of the first storage peer, 0 for any
 * @param settings additional configuration of its super-peers, by key
 * @param nodes its processes; empty when the cluster is down
 */
public record ClusterState(
        boolean bootstrapped,
        int superPeers,
        int storagePeers,
        String memory,
        int port,
        @Nullable Integer redisPort,
        @Nullable Map<String, String> settings,
        List<NodeState> nodes) {

    private static final String FILE = "cluster.json";

    /** Replaces what is absent: directories of earlier versions have no settings and no port for Redis clients. */
    public ClusterState {
        redisPort = redisPort == null ? LocalCluster.DEFAULT_REDIS_PORT : redisPort;
        settings = settings == null ? Map.of() : Map.copyOf(settings);
        nodes = List.copyOf(nodes);
    }

    /**
     * One process.
     *
     * @param name such as {@code storage-1}
     * @param role {@code super-peer} or {@code storage-node}
     * @param pid the process id
     * @param startMillis when it started, which distinguishes it from a later process with the same pid
     * @param port the port of the binary protocol
     * @param httpPort the port of HTTP
     * @param redisPort the port for Redis clients, 0 when there is none
     */
    public record NodeState(
            String name, String role, long pid, long startMillis, int port, int httpPort, int redisPort) {}

    ClusterState withNodes(List<NodeState> newNodes) {
        return new ClusterState(bootstrapped, superPeers, storagePeers, memory, port, redisPort, settings, newNodes);
    }

    ClusterState withBootstrapped() {
        return new ClusterState(true, superPeers, storagePeers, memory, port, redisPort, settings, nodes);
    }

    static boolean exists(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    static ClusterState read(Path directory) {
        Path file = directory.resolve(FILE);
        try {
            JsonNode state = Json.parse(file.toString(), Files.readString(file));
            if (!state.path("nodes").isArray()) {
                throw new UserException(file + " cannot be read: it has no list of nodes");
            }
            return of(state);
        } catch (IOException e) {
            throw new UserException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static ClusterState of(JsonNode state) {
        Map<String, String> settings = new HashMap<>();
        state.path("settings").forEachEntry((key, value) -> settings.put(key, value.asText()));
        List<NodeState> nodes = new ArrayList<>();
        for (JsonNode node : state.path("nodes")) {
            nodes.add(new NodeState(
                    node.path("name").asText(),
                    node.path("role").asText(),
                    node.path("pid").asLong(),
                    node.path("startMillis").asLong(),
                    node.path("port").asInt(),
                    node.path("httpPort").asInt(),
                    node.path("redisPort").asInt()));
        }
        JsonNode redisPort = state.path("redisPort");
        return new ClusterState(
                state.path("bootstrapped").asBoolean(),
                state.path("superPeers").asInt(),
                state.path("storagePeers").asInt(),
                state.path("memory").asText(),
                state.path("port").asInt(),
                redisPort.isInt() ? redisPort.asInt() : null,
                settings,
                nodes);
    }

    void write(Path directory) {
        Path file = directory.resolve(FILE);
        Path next = directory.resolve(FILE + ".next");
        try {
            Files.writeString(next, Json.pretty(this) + "\n");
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UserException(file + " cannot be written: " + e.getMessage(), e);
        }
    }
}
