package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.NodeRole;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.process.config.Config;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A storage peer as its process runs it, and a super-peer that answers on a real port. */
class StorageProcessTest {

    private static final long LIMIT_SECONDS = 120;

    @TempDir
    Path directory = Path.of("");

    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withPolling(NettyOptions.Polling.NIO));
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();
    private AnsweringSuperPeer superPeer = new AnsweringSuperPeer(new HostAddress("127.0.0.1", 1), System::nanoTime);

    @BeforeEach
    void listen() throws Exception {
        RpcIdentity identity = new RpcIdentity(NodeRole.SUPER_PEER, 99);
        identity.joinCluster(superPeer.clusterId);
        identity.takeNid(AnsweringSuperPeer.NID);
        HostAddress bound = transport
                .listen(new HostAddress("127.0.0.1", 0), new RpcServer(identity, this::answer))
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        superPeer = new AnsweringSuperPeer(new HostAddress("127.0.0.1", bound.port()), System::nanoTime);
    }

    @AfterEach
    void close() {
        transport.close();
        assertThat(Thread.getAllStackTraces().keySet())
                .as("nobody works at a memory that is closed")
                .noneMatch(thread -> thread.getName().equals("granary-cleaner"));
    }

    private void answer(RpcRequest request) {
        synchronized (lock) {
            superPeer.handle(request);
        }
    }

    /** What the super-peer knows, or is to do from now on. */
    private boolean ask(BooleanSupplier question) {
        synchronized (lock) {
            return question.getAsBoolean();
        }
    }

    private void await(BooleanSupplier question) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!ask(question)) {
            assertThat(System.nanoTime()).as("%s", failures).isLessThan(deadlineNanos);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private Map<String, String> environment() {
        return new HashMap<>(Map.of(
                "GRANARY_CLUSTER_SEEDS", superPeer.address.toString(),
                "GRANARY_NODE_DATA_DIR", directory.toString(),
                "GRANARY_LISTEN_HOST", "127.0.0.1",
                "GRANARY_LISTEN_PORT", "0",
                "GRANARY_HTTP_HOST", "127.0.0.1",
                "GRANARY_HTTP_PORT", "0",
                "GRANARY_MEMORY_SIZE", "32Mi",
                "GRANARY_MEMORY_HUGEPAGES", "false"));
    }

    private StorageProcess start(Map<String, String> environment) throws Exception {
        Config config = Config.load(StorageKeys.schema(), null, environment);
        return StorageProcess.start(config, (reason, cause) -> failures.add(reason));
    }

    private String ports() throws IOException {
        return Files.readString(directory.resolve("ports.json"));
    }

    private String metrics() throws Exception {
        Matcher port = Pattern.compile("\"httpPort\":(\\d+)").matcher(ports());
        assertThat(port.find()).isTrue();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port.group(1) + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    void incarnationEnds_othersTookItsPlace_joinsAgainAtTheSamePorts() throws Exception {
        StorageProcess process = start(environment());
        try {
            await(() -> superPeer.epoch == 1 && superPeer.knowsLease);
            String ports = ports();
            long former = superPeer.incarnation;
            synchronized (lock) {
                superPeer.firstLid = 77;
                superPeer.knowsLease = false;
            }
            await(() -> superPeer.epoch == 2 && superPeer.knowsLease);
            assertThat(ask(() -> superPeer.incarnation != former)).isTrue();
            // The file comes when the new run listens, which may be after its lease.
            await(() -> Files.exists(directory.resolve("ports.json")));
            assertThat(ports()).isEqualTo(ports);
            assertThat(metrics()).contains("granary_storage_incarnations_ended_total 1.0");
            assertThat(failures).as("the process goes on").isEmpty();
        } finally {
            process.stop();
        }
        assertThat(ask(() -> superPeer.knowsLease))
                .as("the lease of the later incarnation was given back")
                .isFalse();
        assertThat(directory.resolve("ports.json")).doesNotExist();
    }

    @Test
    void failure_ofAnotherKind_isToldAndNothingIsTriedAgain() throws Exception {
        synchronized (lock) {
            superPeer.refusal = ErrorReply.of(ErrorCode.BAD_REQUEST, "another disk has this name");
        }
        StorageProcess process = start(environment());
        try {
            await(() -> !failures.isEmpty());
            assertThat(failures).singleElement().asString().contains("another disk has this name");
            int received = superPeer.received.size();
            TimeUnit.MILLISECONDS.sleep(300);
            assertThat(ask(() -> superPeer.received.size() == received)).isTrue();
        } finally {
            process.stop();
        }
    }

    @Test
    void stop_itsPlaceIsTakenLater_doesNotJoinAgain() throws Exception {
        StorageProcess process = start(environment());
        await(() -> superPeer.epoch == 1 && superPeer.knowsLease);
        process.stop();
        synchronized (lock) {
            superPeer.firstLid = 77;
            superPeer.knowsLease = false;
        }
        int received = superPeer.received.size();
        TimeUnit.MILLISECONDS.sleep(300);
        assertThat(ask(() -> superPeer.received.size() == received)).isTrue();
        assertThat(failures).isEmpty();
    }

    @Test
    void start_portIsTaken_failsAndLeavesTheDirectoryToTheNextProcess() throws Exception {
        Map<String, String> taken = environment();
        taken.put("GRANARY_LISTEN_PORT", Integer.toString(superPeer.address.port()));
        assertThatThrownBy(() -> start(taken)).hasStackTraceContaining("bind");
        assertThat(directory.resolve("ports.json")).doesNotExist();
        StorageProcess process = start(environment());
        try {
            await(() -> superPeer.knowsLease);
        } finally {
            process.stop();
        }
        assertThat(failures).isEmpty();
    }
}
