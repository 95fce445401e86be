package dev.granary.storage;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MutationHeader;
import dev.granary.net.message.NodeRole;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.rpc.Lane;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.Cid;
import dev.granary.overlay.HostAddress;
import dev.granary.process.config.Config;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How many bytes of heap a storage peer takes to answer a single get. A busy machine does not change that number. */
@Timeout(300)
class GetBudgetTest {

    private static final long SECOND = 1_000_000_000;
    private static final int WARM_UP = 30_000;
    private static final int COUNTED = 20_000;
    private static final long BYTES = 460;

    @TempDir
    private Path directory = Path.of("");

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Object lock = new Object();

    @Test
    void get_oneChunk_takesFewBytes() throws Exception {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try (NettyTransport transport =
                        new NettyTransport(NettyOptions.defaults().withIoThreads(1));
                ThreadScheduler scheduler = new ThreadScheduler("get-budget", failure -> {})) {
            AnsweringSuperPeer superPeer = listen(transport);
            SystemClock clock = new SystemClock();
            RpcClient client = new RpcClient(transport, clock, scheduler, RpcIdentity.client());
            // The threads of the client and of the super-peer are there already.
            client.call(superPeer.address, 0, MessageType.GET_RING, new Empty(), 30 * SECOND)
                    .get(60, TimeUnit.SECONDS);
            Set<Long> others = ioThreads();
            StorageProcess process = start(superPeer);
            try {
                HostAddress peer = address(superPeer);
                long cid = create(client, peer);
                for (int i = 0; i < WARM_UP; i++) {
                    get(client, clock, peer, cid);
                }
                Set<Long> ofThePeer = ioThreads();
                ofThePeer.removeAll(others);
                assertThat(ofThePeer).isNotEmpty();
                long before = allocatedBytes(ofThePeer);
                int counted = 0;
                for (int i = 0; i < COUNTED; i++) {
                    counted += get(client, clock, peer, cid) ? 1 : 0;
                }
                assertThat(counted).as("gets over a lane").isGreaterThan(COUNTED / 2);
                assertThat((allocatedBytes(ofThePeer) - before) / counted)
                        .as("bytes of heap a get")
                        .isLessThanOrEqualTo(BYTES);
            } finally {
                client.close();
                process.stop();
            }
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    private AnsweringSuperPeer listen(NettyTransport transport) throws Exception {
        AnsweringSuperPeer[] made = {new AnsweringSuperPeer(new HostAddress("127.0.0.1", 1), System::nanoTime)};
        RpcIdentity identity = new RpcIdentity(NodeRole.SUPER_PEER, 99);
        identity.joinCluster(made[0].clusterId);
        identity.takeNid(AnsweringSuperPeer.NID);
        HostAddress bound = transport
                .listen(new HostAddress("127.0.0.1", 0), new RpcServer(identity, request -> {
                    synchronized (lock) {
                        made[0].handle(request);
                    }
                }))
                .get(60, TimeUnit.SECONDS);
        synchronized (lock) {
            made[0] = new AnsweringSuperPeer(bound, System::nanoTime);
            return made[0];
        }
    }

    private StorageProcess start(AnsweringSuperPeer superPeer) throws Exception {
        Map<String, String> environment = new HashMap<>(Map.of(
                "GRANARY_CLUSTER_SEEDS", superPeer.address.toString(),
                "GRANARY_NODE_DATA_DIR", directory.toString(),
                "GRANARY_LISTEN_HOST", "127.0.0.1",
                "GRANARY_LISTEN_PORT", "0",
                "GRANARY_HTTP_HOST", "127.0.0.1",
                "GRANARY_HTTP_PORT", "0",
                "GRANARY_MEMORY_SIZE", "32Mi",
                "GRANARY_MEMORY_HUGEPAGES", "false"));
        StorageProcess process =
                StorageProcess.start(Config.load(StorageKeys.schema(), null, environment), (reason, cause) -> {});
        while (true) {
            synchronized (lock) {
                if (superPeer.knowsLease && Files.exists(directory.resolve("ports.json"))) {
                    return process;
                }
            }
            Thread.sleep(10);
        }
    }

    private HostAddress address(AnsweringSuperPeer superPeer) throws Exception {
        Matcher port =
                Pattern.compile("\"listenPort\":(\\d+)").matcher(Files.readString(directory.resolve("ports.json")));
        assertThat(port.find()).isTrue();
        return new HostAddress(superPeer.address.host(), Integer.parseInt(port.group(1)));
    }

    private static long create(RpcClient client, HostAddress peer) throws Exception {
        return client.call(
                        peer,
                        0,
                        MessageType.CREATE,
                        out -> {
                            MutationHeader.write(out, 7, 1, 0, 0, 1);
                            out.writeIntLE(32).writeZero(32);
                        },
                        in -> in.skipBytes(Integer.BYTES).readLongLE(),
                        30 * SECOND)
                .get(60, TimeUnit.SECONDS);
    }

    /** Returns false when there was no lane yet. */
    private static boolean get(RpcClient client, SystemClock clock, HostAddress peer, long cid) {
        Lane lane = client.lane(peer, Cid.nid(cid), clock.nanoTime() + 30 * SECOND);
        if (lane == null) {
            return false;
        }
        try {
            lane.request(MessageType.GET).writeIntLE(0).writeIntLE(1).writeLongLE(cid);
            ByteBuf reply = lane.exchange();
            assertThat(reply.readIntLE()).isOne();
            assertThat(reply.readIntLE()).isEqualTo(32);
            return true;
        } finally {
            lane.release();
        }
    }

    private static Set<Long> ioThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("granary-io"))
                .map(Thread::threadId)
                .collect(Collectors.toSet());
    }

    private long allocatedBytes(Set<Long> ids) {
        return ids.stream().mapToLong(threads::getThreadAllocatedBytes).sum();
    }
}
