package dev.granary.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.cli.command.ConnectOptions;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.Keys;
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
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Which ports a local cluster uses and remembers, and its secret. Its processes are real. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LocalClusterTest {

    @TempDir
    private static Path directory = Path.of("");

    private static final String PASSWORD = "password-of-the-app";

    private int redisPort;

    /** The cluster of all tests but the one of taken ports. */
    private LocalCluster cluster;

    @BeforeAll
    void start() throws IOException {
        redisPort = freePort();
        Path users = Files.writeString(directory.resolve("users.acl"), """
                user default off
                user app on >secret of the app ^* ~app:* +@all -@admin -chunk.name
                """.replace("secret of the app", PASSWORD));
        Map<String, String> settings =
                Map.of("users.file", users.toString(), "redis.users.file", users.toString(), "zone.backups", "0");
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

        ClientOptions application = application().build();
        try (GranaryClient client = GranaryClient.connect(application)) {
            assertThat(client.get(client.create(new byte[] {1, 2, 3}))).containsExactly(1, 2, 3);
            assertThatThrownBy(() -> ClusterAdmin.of(client).statusJson())
                    .isInstanceOf(GranaryException.class)
                    .hasMessageContaining("no permission for 'granary.status'");
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
                    .doesNotContain(PASSWORD)
                    .doesNotContain("cluster.secret.file is not set");
        }
    }

    private ClientOptions.Builder application() {
        return ClientOptions.builder()
                .addresses(cluster.addresses())
                .deadline(Duration.ofSeconds(20))
                .user("app")
                .password(PASSWORD);
    }

    /** The client that the door has for chunks proves the secret: what it asks for the door has allowed. */
    @Test
    void door_userAsksForChunks_isAnsweredAsItsRulesSay() throws IOException {
        int door = cluster.redisAddresses().getFirst().port();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), door)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write(("AUTH app " + PASSWORD + "\r\nCHUNK.CREATE v\r\nCHUNK.NAME GET n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            String reply = new String(
                    socket.getInputStream().readNBytes("+OK\r\n$18\r\n0x8000000000000001\r\n-NOPERM".length()),
                    StandardCharsets.US_ASCII);
            assertThat(reply).startsWith("+OK\r\n$18\r\n0x").endsWith("-NOPERM");
        }
    }

    /** Without repeating it until the deadline, which is longer than anybody would wait here. */
    private static void assertRefused(ThrowingCallable operation, String why) {
        long beginNanos = System.nanoTime();
        assertThatThrownBy(operation).isInstanceOf(GranaryException.class).hasMessageContaining(why);
        assertThat(Duration.ofNanos(System.nanoTime() - beginNanos)).isLessThan(Duration.ofSeconds(15));
    }

    @Test
    void connect_nobodyOrWrongPassword_isRefusedAtOnce() {
        assertRefused(
                () -> GranaryClient.connect(
                        application().user(null).password(null).build()),
                "there is no user");
        assertRefused(
                () -> GranaryClient.connect(application().password("wrong").build()), "has this password");
        assertRefused(
                () -> GranaryClient.connect(application()
                        .password(null)
                        .passwordFile(directory.resolve("nowhere"))
                        .build()),
                "nowhere");
    }

    @Test
    void user_withLimits_mayWhatItsRulesSayAndIsRefusedTheRestAtOnce() {
        try (GranaryClient client = GranaryClient.connect(application().build())) {
            long cid = client.create(new byte[] {4, 5});
            client.put(cid, new byte[] {6});
            for (int i = 0; i < 20; i++) {
                assertThat(client.get(cid))
                        .as("over a connection of its own, too")
                        .containsExactly(6);
            }
            client.lock(cid, Duration.ofSeconds(5), Duration.ZERO).close();
            assertRefused(() -> client.names().get("some"), "no permission for 'chunk.name|get'");
            Keys<String> keys = client.keys(name -> name.getBytes(StandardCharsets.UTF_8));
            keys.set("app:1", new byte[] {7});
            assertThat(keys.get("app:1").orElseThrow()).containsExactly(7);
            assertRefused(() -> keys.get("of-{app:1}"), "no permission for the key 'of-{app:1}'");
            assertRefused(() -> keys.set("other", new byte[] {7}), "no permission for the key 'other'");
        }
    }

    @Test
    void command_withUserAndPasswordFile_isThatUserAlthoughTheSecretIsThere() throws IOException {
        Path password = Files.writeString(directory.resolve("password"), PASSWORD + "\n");
        ConnectOptions options = CommandLine.populateCommand(
                new ConnectOptions(),
                "--dir",
                directory.resolve("cluster").toString(),
                "--user",
                "app",
                "--password-file",
                password.toString());
        try (GranaryClient client = options.connect()) {
            assertRefused(() -> ClusterAdmin.of(client).statusJson(), "no permission for 'granary.status'");
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
