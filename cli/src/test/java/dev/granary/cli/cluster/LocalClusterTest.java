package dev.granary.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.admin.ClusterAdmin;
import dev.granary.overlay.HostAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
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

    private static int doorOf(LocalCluster cluster) {
        return cluster.redisAddresses().getFirst().port();
    }

    /** Settings of doors go to storage peers; a super-peer does not know them, and would not start. */
    @Test
    void start_settingsOfDoorsAndOfTheRest_reachThoseThatHaveThem() throws IOException {
        Path users = Files.writeString(directory.resolve("users.acl"), "user default off\n");
        Map<String, String> settings = Map.of("redis.users.file", users.toString(), "zone.backups", "0");
        LocalCluster cluster =
                LocalCluster.start(directory, new LocalCluster.Plan(1, 1, "16Mi", 0, 0, settings), line -> {});
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), doorOf(cluster))) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] reply = socket.getInputStream().readNBytes("-NOAUTH".length());
            assertThat(new String(reply, StandardCharsets.US_ASCII)).isEqualTo("-NOAUTH");
        } finally {
            cluster.stop(line -> {});
        }
    }

    @Test
    void start_newCluster_hasASecretThatOnlyItsOwnerReadsAndAdministrationNeeds() throws IOException {
        LocalCluster cluster = LocalCluster.start(directory, LocalCluster.Plan.of(1, 1, "16Mi", 0), line -> {});
        try {
            Path file = cluster.secretFile().orElseThrow();
            assertThat(Files.getPosixFilePermissions(file))
                    .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
            String secret = Files.readString(file).strip();
            assertThat(secret).hasSizeGreaterThanOrEqualTo(32);

            ClientOptions application = ClientOptions.of(cluster.addresses()).withDeadline(Duration.ofSeconds(5));
            try (GranaryClient client = GranaryClient.connect(application)) {
                assertThat(client.get(client.create(new byte[] {1, 2, 3}))).containsExactly(1, 2, 3);
                assertThatThrownBy(() -> ClusterAdmin.of(client).statusJson())
                        .isInstanceOf(GranaryException.class)
                        .hasMessageContaining("only [administrators] may send 'cluster-status'");
            }
            try (ClusterAdmin admin = ClusterAdmin.connect(cluster.administratorOptions())) {
                assertThat(admin.statusJson()).contains("storage-0").doesNotContain(secret);
            }
            Path wrong = Files.writeString(directory.resolve("wrong"), "the secret of another cluster");
            ClientOptions stranger =
                    application.toBuilder().clusterSecretFile(wrong).build();
            assertThatThrownBy(() -> ClusterAdmin.connect(stranger))
                    .isInstanceOf(GranaryException.class)
                    .hasMessageContaining("does not have the secret of this cluster");
            for (String log : List.of("super-peer-0", "storage-0")) {
                assertThat(logs(directory.resolve(log)))
                        .doesNotContain(secret)
                        .doesNotContain("cluster.secret.file is not set");
            }
        } finally {
            cluster.stop(line -> {});
        }
    }

    private static String logs(Path node) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(node)) {
            for (Path log :
                    files.filter(file -> file.toString().endsWith("log.txt")).toList()) {
                text.append(Files.readString(log));
            }
        }
        assertThat(text).isNotEmpty();
        return text.toString();
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
