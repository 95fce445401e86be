package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.e2e.processes.Commands.Outcome;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Lettuce, as it is, while a storage peer is stopped as planned. It asks for notices of maintenance by itself. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlannedMaintenanceTest {

    private static final int THREADS = 4;

    /** The pause of a thread after each pair of requests, which leaves the processors to the cluster. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LocalCluster cluster = LocalCluster.up(1, 3);

    /** Sets and gets until it is ended. */
    private static final class Load {

        private final ConcurrentLinkedQueue<String> errors = new ConcurrentLinkedQueue<>();
        private final AtomicLong done = new AtomicLong();
        private final AtomicLong longestNanos = new AtomicLong();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final List<Thread> threads = new ArrayList<>();

        void add(int number, RedisCommands<String, String> commands) {
            threads.add(Thread.ofPlatform().name("load-" + number).start(() -> run(number, commands)));
        }

        private void run(int number, RedisCommands<String, String> commands) {
            for (long round = 0; !ended.get(); round++) {
                String key = "load:" + number + ":" + round % 500;
                String value = Long.toString(round);
                long begin = System.nanoTime();
                try {
                    commands.set(key, value);
                    String read = commands.get(key);
                    if (!value.equals(read)) {
                        errors.add(key + " is " + read + " and was set to " + value);
                    }
                    done.incrementAndGet();
                } catch (RuntimeException e) {
                    errors.add(e.toString());
                }
                longestNanos.accumulateAndGet(System.nanoTime() - begin, Math::max);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }

        /** Waits until so many more pairs of requests are done. */
        void awaitMore(long count) {
            long target = done.get() + count;
            Awaitility.await().atMost(PATIENCE).until(() -> done.get() >= target);
        }

        void end() throws InterruptedException {
            ended.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    /** Starts the peer again that another test has stopped. */
    @BeforeEach
    void threeLivePeers() {
        cluster.up().ok();
        cluster.awaitStatus(
                "three live storage peers",
                status -> status.at("/totals/livePeers").asInt() == 3);
    }

    @AfterAll
    void end() {
        cluster.close();
    }

    private RedisURI door(String peer) {
        return RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(cluster.redisPort(peer))
                .withTimeout(Duration.ofSeconds(30))
                .build();
    }

    /** Takes from a storage peer what it owns and keeps, as the operator does before it deletes a pod. */
    private void drain(String peer) {
        String nid =
                LocalCluster.storagePeer(cluster.status(), peer).path("nid").asText();
        // A storage peer that says too late what it has, on a busy machine, is asked again, as the operator does.
        Outcome drained = Awaitility.await("a drain")
                .atMost(PATIENCE)
                .until(() -> cluster.granary("drain", nid), outcome -> !outcome.err()
                        .contains("does not tell what it has"));
        drained.ok();
        cluster.awaitStatus(
                "a peer that keeps no copies",
                status -> LocalCluster.storagePeer(status, peer).path("copies").asInt(-1) == 0);
    }

    /** Notes the type of each push of a connection, and what is in it. */
    private static List<String> pushes(StatefulRedisConnection<String, String> connection) {
        List<String> pushes = new CopyOnWriteArrayList<>();
        connection.addListener(message ->
                pushes.add(message.getContent(StringCodec.UTF8::decodeKey).toString()));
        return pushes;
    }

    private static void shutdown(RedisClient client) {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
    }

    @Test
    void stop_lettuceThatKnowsThisDoorOnly_goesOnAtAnotherOneWithoutAnError() throws Exception {
        String stopped = "storage-1";
        RedisClient client = RedisClient.create(door(stopped));
        Load load = new Load();
        try {
            List<List<String>> pushes = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                StatefulRedisConnection<String, String> connection = client.connect();
                pushes.add(pushes(connection));
                load.add(i, connection.sync());
            }
            load.awaitMore(1_000);
            drain(stopped);
            long begin = System.nanoTime();
            cluster.terminate(stopped);
            long stopMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
            load.awaitMore(2_000);
            load.end();
            System.out.printf(
                    "stopped within %,d ms; longest pair of requests %,d ms; pushes %s%n",
                    stopMillis, TimeUnit.NANOSECONDS.toMillis(load.longestNanos.get()), pushes);
            assertThat(load.errors).isEmpty();
            assertThat(pushes).allSatisfy(each -> assertThat(each)
                    .singleElement()
                    .asString()
                    .matches("\\[MOVING, \\d+, 5, 127\\.0\\.0\\.1:\\d+]"));
            assertThat(cluster.log(stopped)).contains("Redis clients are told to go to other storage peers");
        } finally {
            load.end();
            shutdown(client);
        }
    }

    @Test
    void drain_clientOfTheCluster_isToldOfEachSlotGroupThatMoves() throws Exception {
        String stopped = "storage-2";
        RedisClusterClient client = RedisClusterClient.create(door(stopped));
        RedisClient single = RedisClient.create(door(stopped));
        try (StatefulRedisClusterConnection<String, String> connection = client.connect();
                StatefulRedisConnection<String, String> watching = single.connect()) {
            for (int i = 0; i < 1_000; i++) {
                connection.sync().set("key:" + i, "value " + i);
            }
            List<String> pushes = pushes(watching);
            watching.sync().clusterSlots();
            String here = "127.0.0.1:" + cluster.redisPort(stopped);
            drain(stopped);
            Awaitility.await().atMost(PATIENCE).until(() -> {
                long begun = pushes.stream()
                        .filter(push -> push.startsWith("[SMIGRATING, "))
                        .count();
                return begun > 0 && pushes.size() == 2 * begun;
            });
            assertThat(pushes).anySatisfy(push -> assertThat(push)
                    .matches("\\[SMIGRATED, \\d+, \\[\\[" + here + ", 127\\.0\\.0\\.1:\\d+, \\d+-\\d+]]]")
                    .doesNotContain(here + ", " + here));
            long begin = System.nanoTime();
            cluster.terminate(stopped);
            System.out.printf(
                    "%,d pushes; stopped within %,d ms%n",
                    pushes.size(), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            // Nobody who knows no cluster was there, so that nobody was waited for.
            assertThat(cluster.log(stopped)).doesNotContain("Redis clients are told to go");
            for (int i = 0; i < 1_000; i++) {
                assertThat(connection.sync().get("key:" + i)).isEqualTo("value " + i);
            }
        } finally {
            shutdown(single);
            client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
        }
    }
}
