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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Which ports a local cluster uses and remembers, and its secret. Its processes are real. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LocalClusterTest {

    @TempDir
    private static Path directory = Path.of("");

    private int redisPort;

    /** The cluster of all tests but the one of taken ports. */
    private LocalCluster cluster;

    @BeforeAll
    void start() throws IOException {
        redisPort = freePort();
        Path users = Files.writeString(directory.resolve("users.acl"), "user default off\n");
        Map<String, String> settings = Map.of("redis.users.file", users.toString(), "zone.backups", "0");
        cluster = LocalCluster.start(
                directory.resolve("cluster"), new LocalCluster.Plan(1, 1, "16Mi", 0, redisPort, settings), line -> {});
    }

    @AfterAll
    void stop() {
        cluster.stop(line -> {});
    }

    /** The progress line of a node comes between the search for a free port and the node's start. */
    @Test
    void start_wantedPortsTakenJustBefore_usesOtherPorts() throws IOException {
        int superPeerPort = freePort();
        int doorPort = freePort();
        try (ServerSocket first = new ServerSocket();
                ServerSocket second = new ServerSocket()) {
            Map<String, Runnable> taking = new HashMap<>(Map.of(
                    "starting super-peer-0", () -> take(first, superPeerPort),
                    "starting storage-0", () -> take(second, doorPort)));
            Consumer<String> progress = line -> {
                Runnable take = taking.remove(line);
                if (take != null) {
                    take.run();
                }
            };
            LocalCluster other = LocalCluster.start(
                    directory.resolve("other"),
                    new LocalCluster.Plan(1, 1, "16Mi", superPeerPort, doorPort, Map.of()),
                    progress);
            try {
                assertThat(taking).isEmpty();
                assertThat(other.seeds()).extracting(HostAddress::port).doesNotContain(superPeerPort);
                assertThat(other.redisAddresses())
                        .hasSize(1)
                        .extracting(HostAddress::port)
                        .doesNotContain(doorPort);
            } finally {
                other.stop(line -> {});
            }
        }
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void stop_thenFind_knowsThePortForRedisClients() {
        cluster.stop(line -> {});
        assertThat(LocalCluster.find(directory.resolve("cluster"))
                        .orElseThrow()
                        .state()
                        .redisPort())
                .isEqualTo(redisPort);
    }

    /** Settings of doors go to storage peers; a super-peer does not know them, and would not start. */
    @Test
    void start_settingsOfDoorsAndOfTheRest_reachThoseThatHaveThem() throws IOException {
        int door = cluster.redisAddresses().getFirst().port();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), door)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            byte[] reply = socket.getInputStream().readNBytes("-NOAUTH".length());
            assertThat(new String(reply, StandardCharsets.US_ASCII)).isEqualTo("-NOAUTH");
        }
    }

    @Test
    void start_newCluster_hasASecretThatOnlyItsOwnerReadsAndAdministrationNeeds() throws IOException {
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
            assertThat(logs(directory.resolve("cluster").resolve(log)))
                    .doesNotContain(secret)
                    .doesNotContain("cluster.secret.file is not set");
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
