package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.Cid;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a waiting get and a waiting put cost a client, in numbers that a busy machine does not change: bytes of heap,
 * and how often threads gave their processor up to wait.
 */
@Timeout(300)
class WaitingBudgetTest {

    private static final long CID = Cid.of(SocketCluster.STORAGE_NID, 1);
    private static final int WARM_UP = 3_000;
    private static final int COUNTED = 2_000;

    /** The value takes 48 bytes. */
    private static final long GET_BYTES = 92;

    /** What the first compiler leaves in place: C2 may spare a hundred of them, after many more puts. */
    private static final long PUT_BYTES = 245;

    /** Some gets find no lane or no place, and go alone by a future. */
    private static final long JOINT_GET_BYTES = 120;

    private static final int JOINT_THREADS = 8;
    private static final double JOINT_SWITCHES_OF_OTHERS = 0.1;

    /**
     * A busy machine stops the thread that holds the lane, and others go alone meanwhile, which costs more. A change
     * that costs more does so in each round.
     */
    private static final int JOINT_ROUNDS = 10;

    private static final double SWITCHES_OF_CALLER = 1.05;
    private static final double SWITCHES_OF_OTHERS = 0.05;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** One operation. */
    private interface Operation {
        void run();
    }

    private record Cost(double bytes, double switchesOfCaller, double switchesOfOthers) {}

    @Test
    void waitingOperations_overALane_stayInTheirBudgets() throws Exception {
        try (SocketCluster cluster = new SocketCluster()) {
            Set<String> ofTheServer = new HashSet<>(tasks());
            cluster.store(CID, new byte[32]);
            byte[] value = new byte[32];
            try (GranaryClient client = new GranaryClient(cluster.connect())) {
                Cost get = cost(() -> client.get(CID), ofTheServer);
                Cost put = cost(() -> client.put(CID, value), ofTheServer);
                assertThat(get.bytes()).as("bytes of heap a get").isLessThanOrEqualTo(GET_BYTES);
                assertThat(put.bytes()).as("bytes of heap a put").isLessThanOrEqualTo(PUT_BYTES);
                for (Cost each : List.of(get, put)) {
                    assertThat(each.switchesOfCaller())
                            .as("waits of the caller an operation")
                            .isLessThanOrEqualTo(SWITCHES_OF_CALLER);
                    assertThat(each.switchesOfOthers())
                            .as("waits of the client's I/O threads an operation")
                            .isLessThanOrEqualTo(SWITCHES_OF_OTHERS);
                }
            }
        }
    }

    @Test
    void waitingGets_ofManyThreads_stayInTheirBudgets() throws Exception {
        try (SocketCluster cluster = new SocketCluster()) {
            Set<String> ofTheServer = new HashSet<>(tasks());
            cluster.store(CID, new byte[32]);
            try (GranaryClient client = new GranaryClient(cluster.connect())) {
                runJointly(client, WARM_UP / JOINT_THREADS);
                List<Path> others = clientTasks(ofTheServer);
                double bytes = Double.MAX_VALUE;
                double perGet = Double.MAX_VALUE;
                for (int round = 0;
                        round < JOINT_ROUNDS && (bytes > JOINT_GET_BYTES || perGet > JOINT_SWITCHES_OF_OTHERS);
                        round++) {
                    long switches = switches(others);
                    bytes = Math.min(bytes, runJointly(client, COUNTED) / (double) JOINT_THREADS / COUNTED);
                    perGet = Math.min(perGet, (switches(others) - switches) / (double) JOINT_THREADS / COUNTED);
                }
                assertThat(bytes).as("bytes of heap a get").isLessThanOrEqualTo(JOINT_GET_BYTES);
                assertThat(perGet)
                        .as("waits of the client's I/O threads a get")
                        .isLessThanOrEqualTo(JOINT_SWITCHES_OF_OTHERS);
            }
        }
    }

    /** Returns the bytes of heap that the threads have taken. */
    private long runJointly(GranaryClient client, int gets) throws Exception {
        List<FutureTask<Long>> all = new ArrayList<>();
        for (int thread = 0; thread < JOINT_THREADS; thread++) {
            FutureTask<Long> task = new FutureTask<>(() -> {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < gets; i++) {
                    client.get(CID);
                }
                return threads.getCurrentThreadAllocatedBytes() - before;
            });
            all.add(task);
            Thread.ofPlatform().start(task);
        }
        long bytes = 0;
        for (FutureTask<Long> each : all) {
            bytes += each.get();
        }
        return bytes;
    }

    private static List<Path> clientTasks(Set<String> ofTheServer) throws IOException {
        List<Path> others = new ArrayList<>();
        for (String task : tasks()) {
            if (!ofTheServer.contains(task)) {
                others.add(Path.of("/proc/self/task", task));
            }
        }
        assertThat(others).as("the client's I/O threads").isNotEmpty();
        return others;
    }

    private static long switches(List<Path> tasks) {
        return tasks.stream().mapToLong(WaitingBudgetTest::switches).sum();
    }

    private Cost cost(Operation operation, Set<String> ofTheServer) throws IOException {
        for (int i = 0; i < WARM_UP; i++) {
            operation.run();
        }
        Path self = Path.of("/proc/thread-self").toRealPath();
        List<Path> others = clientTasks(ofTheServer);
        long othersBefore = switches(others);
        long callerBefore = switches(self);
        long bytesBefore = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < COUNTED; i++) {
            operation.run();
        }
        long bytes = threads.getCurrentThreadAllocatedBytes() - bytesBefore;
        long caller = switches(self) - callerBefore;
        long ofOthers = switches(others) - othersBefore;
        return new Cost(bytes / (double) COUNTED, caller / (double) COUNTED, ofOthers / (double) COUNTED);
    }

    /** The I/O threads of this process. */
    private static List<String> tasks() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/task"))) {
            return all.filter(task -> read(task.resolve("comm")).startsWith("granary-io"))
                    .map(task -> task.getFileName().toString())
                    .toList();
        }
    }

    private static long switches(Path task) {
        return read(task.resolve("status"))
                .lines()
                .filter(line -> line.startsWith("voluntary_ctxt_switches:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .sum();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            // The thread has ended between the list and the look.
            return "";
        }
    }
}
