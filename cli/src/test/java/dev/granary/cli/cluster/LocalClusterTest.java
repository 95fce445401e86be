package dev.granary.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which ports a local cluster uses and remembers. Its processes are real. */
class LocalClusterTest {

    @TempDir
    private Path directory;

    /** The progress line of a node comes between the search for a free port and the node's start. */
    @Test
    void start_wantedPortsTakenJustBefore_usesOtherPorts() throws IOException {
        int superPeerPort = freePort();
        int redisPort = freePort();
        try (ServerSocket first = new ServerSocket();
                ServerSocket second = new ServerSocket()) {
            Map<String, Runnable> taking = new HashMap<>(Map.of(
                    "starting super-peer-0", () -> take(first, superPeerPort),
                    "starting storage-0", () -> take(second, redisPort)));
            Consumer<String> progress = line -> {
                Runnable take = taking.remove(line);
                if (take != null) {
                    take.run();
                }
            };
            LocalCluster cluster = LocalCluster.start(
                    directory, new LocalCluster.Plan(1, 1, "16Mi", superPeerPort, redisPort, Map.of()), progress);
            try {
                assertThat(taking).isEmpty();
                assertThat(cluster.seeds()).extracting(HostAddress::port).doesNotContain(superPeerPort);
                assertThat(cluster.redisAddresses())
                        .hasSize(1)
                        .extracting(HostAddress::port)
                        .doesNotContain(redisPort);
            } finally {
                cluster.stop(line -> {});
            }
        }
    }

    @Test
    void stop_thenFind_knowsThePortForRedisClients() throws IOException {
        int redisPort = freePort();
        LocalCluster cluster =
                LocalCluster.start(directory, new LocalCluster.Plan(1, 1, "16Mi", 0, redisPort, Map.of()), line -> {});
        cluster.stop(line -> {});
        assertThat(LocalCluster.find(directory).orElseThrow().state().redisPort())
                .isEqualTo(redisPort);
    }

    private static void take(ServerSocket socket, int port) {
        try {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
