package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.processes.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One process as an administrator starts it: with a file and environment variables. */
class SingleProcessTest {

    @TempDir
    private Path directory;

    private Path file(String content) throws IOException {
        return Files.writeString(directory.resolve("node.properties"), content);
    }

    private Map<String, String> superPeerEnvironment(String dataDirectory) {
        return Map.of(
                "GRANARY_NODE_DATA_DIR", directory.resolve(dataDirectory).toString(),
                "GRANARY_LISTEN_HOST", "127.0.0.1",
                "GRANARY_LISTEN_PORT", "0",
                "GRANARY_ADVERTISE_HOST", "127.0.0.1",
                "GRANARY_HTTP_HOST", "127.0.0.1",
                "GRANARY_HTTP_PORT", "0",
                "GRANARY_RING_BOOTSTRAP", "true");
    }

    @Test
    void storageNode_unknownKey_exitsWithTwoAndNamesTheNearest() throws IOException {
        Path config = file("cluster.seeds=127.0.0.1:7400\nmemory.sise=64Mi\n");
        Outcome outcome = Commands.run("storage-node", Map.of(), List.of("--config", config.toString()));
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("memory.sise").contains("memory.size");
    }

    @Test
    void storageNode_badValues_exitsWithTwoAndSaysAllOfThem() throws IOException {
        Path config = file("memory.size=12\nlisten.port=99999\n");
        Outcome outcome = Commands.run("storage-node", Map.of(), List.of("--config", config.toString()));
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err())
                .contains("memory.size")
                .contains("'12'")
                .contains("listen.port")
                .contains("'99999'")
                .contains("cluster.seeds");
    }

    @Test
    void superPeer_badValueInTheEnvironment_exitsWithTwoAndSaysWhatIsAllowed() {
        Outcome outcome = Commands.run("super-peer", Map.of("GRANARY_RING_SIZE", "77"), List.of());
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).containsIgnoringCase("ring").contains("77").contains("from 1 to 9");
    }

    @Test
    void superPeer_help_listsEveryKey() {
        Outcome outcome = Commands.run("super-peer", Map.of(), List.of("--help"));
        assertThat(outcome.ok())
                .contains("ring.size")
                .contains("ring.bootstrap")
                .contains("lease.duration");
    }

    @Test
    void superPeer_emptyDiskWithoutFlagAndSeeds_failsAndSaysWhatToSet() {
        Map<String, String> environment = new java.util.HashMap<>(superPeerEnvironment("alone"));
        environment.put("GRANARY_RING_BOOTSTRAP", "false");
        Outcome outcome = Commands.run("super-peer", environment, List.of());
        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).contains("cluster.seeds").contains("ring.bootstrap=true");
    }

    @Test
    void superPeer_runs_keepsOthersFromItsDiskAndEndsCleanlyOnSigterm() throws IOException, InterruptedException {
        Path ports = directory.resolve("first").resolve("ports.json");
        Process process = Commands.builder("super-peer", superPeerEnvironment("first"), List.of())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log.txt").toFile())
                .start();
        try {
            Awaitility.await("ports.json").atMost(Duration.ofSeconds(60)).until(() -> Files.exists(ports));
            assertThat(LocalCluster.parse(Files.readString(ports)).path("pid").asLong())
                    .isEqualTo(process.pid());

            Outcome second = Commands.run("super-peer", superPeerEnvironment("first"), List.of());
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.out() + second.err()).contains("first");
            assertThat(process.isAlive()).isTrue();

            int port = LocalCluster.parse(Files.readString(ports))
                    .path("listenPort")
                    .asInt();
            Map<String, String> other = new java.util.HashMap<>(superPeerEnvironment("second"));
            other.put("GRANARY_CLUSTER_SEEDS", "127.0.0.1:" + port);
            Awaitility.await("a founded cluster")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> Files.readString(directory.resolve("log.txt")).contains("founded a cluster"));
            Outcome refused = Commands.run("super-peer", other, List.of());
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.out()).contains("already belongs to the cluster");

            process.destroy();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(ports).doesNotExist();
        } finally {
            process.destroyForcibly();
        }
    }
}
