package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.e2e.processes.Commands.Outcome;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster whose nodes have a port for clients, one for each other and one for administrators, as people start it. */
@Tag(Tags.LONG) // Clusters on Kubernetes have three ports, too.
class SeparatePortsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int STORAGE_PEERS = 3;

    @TempDir
    private Path directory;

    private final List<Process> processes = new ArrayList<>();
    private final int clients;
    private final int inside;
    private final int admin;
    private final String seeds;

    SeparatePortsTest() throws IOException {
        try (ServerSocket first = new ServerSocket(0);
                ServerSocket second = new ServerSocket(0);
                ServerSocket third = new ServerSocket(0)) {
            clients = first.getLocalPort();
            inside = second.getLocalPort();
            admin = third.getLocalPort();
        }
        seeds = "127.0.0.1:" + clients;
    }

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
        processes.forEach(process -> process.onExit().join());
    }

    /** Starts a node on an address of its own, since all nodes have the same ports. */
    private Process start(String program, int host, Map<String, String> more) throws IOException {
        String address = "127.0.0." + host;
        Map<String, String> environment = new HashMap<>(more);
        environment.put("GRANARY_NODE_NAME", "node-" + host);
        environment.put(
                "GRANARY_NODE_DATA_DIR", directory.resolve("node-" + host).toString());
        environment.put("GRANARY_LISTEN_HOST", address);
        environment.put("GRANARY_ADVERTISE_HOST", address);
        environment.put("GRANARY_LISTEN_PORT", Integer.toString(clients));
        environment.put("GRANARY_INSIDE_PORT", Integer.toString(inside));
        environment.put("GRANARY_ADMIN_PORT", Integer.toString(admin));
        environment.put("GRANARY_HTTP_HOST", address);
        environment.put("GRANARY_HTTP_PORT", "0");
        Process process = Commands.builder(program, environment, List.of())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("node-" + host + ".log").toFile())
                .start();
        processes.add(process);
        return process;
    }

    private Outcome granary(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--seeds", seeds));
        return Commands.run("granary", Map.of(), all);
    }

    /** The way in which pods tell the command line. */
    private Outcome administer(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--seeds", seeds));
        return Commands.run("granary", Map.of("GRANARY_ADMIN_PORT", Integer.toString(admin)), all);
    }

    private JsonNode awaitLive(int peers) {
        return Awaitility.await(peers + " live storage peers with copies in sync")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> {
                            Outcome outcome = administer("status", "--json");
                            return LocalCluster.parse(outcome.exitCode() == 0 ? outcome.out() : "{}");
                        },
                        status -> status.at("/totals/livePeers").asInt() == peers);
    }

    @Test
    void cluster_threePorts_eachRequestGoesToItsOwnAndNoOther() throws IOException {
        start("super-peer", 1, Map.of("GRANARY_RING_BOOTSTRAP", "true", "GRANARY_ZONE_BACKUPS", "2"));
        Map<String, String> peer = Map.of("GRANARY_CLUSTER_SEEDS", seeds, "GRANARY_MEMORY_SIZE", "64Mi");
        List<Process> peers = new ArrayList<>();
        for (int i = 0; i < STORAGE_PEERS; i++) {
            peers.add(start("storage-node", 2 + i, peer));
        }
        awaitLive(STORAGE_PEERS);

        String cid = granary("create", "hello").ok();
        assertThat(granary("get", cid).ok()).isEqualTo("hello");
        granary("set", "greeting", "hello again").ok();
        assertThat(granary("get", "greeting").ok()).isEqualTo("hello again");
        Outcome refused = granary("status");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("port " + admin, "--admin-port");

        Path store = directory.resolve("backups");
        administer("backup", "create", "--store", store.toString()).ok();
        assertThat(store).isNotEmptyDirectory();
        // Its chunks are recovered, which nodes do among each other.
        peers.getFirst().destroyForcibly();
        awaitLive(STORAGE_PEERS - 1);
        assertThat(granary("get", cid).ok()).isEqualTo("hello");
        assertThat(granary("get", "greeting").ok()).isEqualTo("hello again");
        for (int host = 1; host <= 1 + STORAGE_PEERS; host++) {
            assertThat(Files.readString(directory.resolve("node-" + host + ".log")))
                    .as("what node %d says of callers at wrong ports", host)
                    .doesNotContain("denied a request to storage peer", "denied a request to super-peer");
        }
    }
}
