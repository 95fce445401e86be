package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.DeadlineExceededException;
import dev.granary.client.GranaryClient;
import dev.granary.client.GranaryException;
import dev.granary.client.internal.SocketCluster.Values;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.overlay.Cid;
import dev.granary.serialization.Importable;
import dev.granary.serialization.Importer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link LaneChunks} and {@code OneChange} over real sockets, which break. */
@Timeout(120)
class LaneChunksTest {

    private static final long CID = Cid.of(SocketCluster.STORAGE_NID, 1);
    private static final byte[] VALUE = {1, 2, 3};
    private static final int OPERATIONS_BETWEEN_BREAKS = 20;

    private final SocketCluster cluster = new SocketCluster();
    private final ConnectedClient connected = cluster.connect();
    private final GranaryClient client = new GranaryClient(connected);

    LaneChunksTest() throws Exception {
        cluster.store(CID, VALUE);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        client.close();
        // One that was being made ends on a thread of its own.
        for (int looks = 0; looks < 1_000 && lanes() > 0; looks++) {
            Thread.sleep(10);
        }
        assertThat(lanes()).as("lanes of a closed client").isZero();
        for (int looks = 0; looks < 1_000 && cluster.cable.connections() > 0; looks++) {
            Thread.sleep(10);
        }
        assertThat(cluster.cable.connections())
                .as("connections of a closed client")
                .isZero();
        cluster.close();
    }

    private int lanes() {
        return connected.context().rpc().lanes();
    }

    /** Waits until a lane is there, which the first calls have made in the background. */
    private void warmUp() throws InterruptedException {
        for (int looks = 0; looks < 3_000 && lanes() == 0; looks++) {
            assertThat(client.get(CID)).isEqualTo(VALUE);
            Thread.sleep(1);
        }
        assertThat(lanes()).isPositive();
        client.get(CID);
    }

    @Test
    void operations_overALane_giveWhatTheSharedConnectionGives() throws Exception {
        warmUp();
        client.put(CID, new byte[] {4, 5});
        assertThat(client.get(CID)).containsExactly(4, 5);
        assertThat(connected.get(CID).get(30, TimeUnit.SECONDS)).containsExactly(4, 5);
        client.put(CID, new byte[100_000]);
        assertThat(client.get(CID)).hasSize(100_000);
        client.delete(CID);
        assertThatThrownBy(() -> client.get(CID)).isInstanceOf(ChunkNotFoundException.class);
        assertThatThrownBy(() -> client.put(CID, VALUE)).isInstanceOf(ChunkNotFoundException.class);
        assertThat(lanes()).isPositive();
    }

    @Test
    void get_laneIsFree_isAnsweredOnTheCallersThread() throws Exception {
        warmUp();
        AtomicInteger askedElsewhere = new AtomicInteger();
        int before = cluster.cable.connections();
        // Blocks the I/O thread of the shared connection. A future that is complete already runs this here instead.
        CompletableFuture<Void> busy = new CompletableFuture<>();
        List<CompletableFuture<?>> blocked = new ArrayList<>();
        Thread caller = Thread.currentThread();
        while (askedElsewhere.get() == 0) {
            blocked.add(connected.get(CID).thenRun(() -> {
                if (Thread.currentThread() != caller) {
                    askedElsewhere.incrementAndGet();
                    busy.join();
                }
            }));
            Thread.sleep(1);
        }
        assertThat(client.get(CID)).isEqualTo(VALUE);
        busy.complete(null);
        CompletableFuture.allOf(blocked.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
        assertThat(cluster.cable.connections()).isEqualTo(before);
    }

    @Test
    void get_manyThreads_goTogetherAndEachGetsItsOwn() throws Exception {
        AtomicInteger most = new AtomicInteger();
        cluster.storage = request -> {
            if (request.type() == MessageType.GET) {
                int count = request.payload().getIntLE(request.payload().readerIndex() + Integer.BYTES);
                most.accumulateAndGet(count, Math::max);
            }
            return false;
        };
        int threads = 16;
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> all = new ArrayList<>();
            for (int number = 0; number < threads; number++) {
                long cid = cidOf(number);
                byte[] value = Values.of(number);
                EightBytes object = new EightBytes();
                cluster.store(cid, value);
                all.add(pool.submit(() -> {
                    for (int i = 0; i < 200 || (most.get() < 4 && i < 1_000_000); i++) {
                        assertThat(client.get(cid)).isEqualTo(value);
                        assertThat(client.get(cid, object).bytes).isEqualTo(value);
                        assertThatThrownBy(() -> client.get(cid + threads)).isInstanceOf(ChunkNotFoundException.class);
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(100, TimeUnit.SECONDS);
            }
        }
        assertThat(most).as("gets in one request").hasValueGreaterThanOrEqualTo(4);
    }

    /** An object that reads eight bytes. */
    private static final class EightBytes implements Importable {

        private byte[] bytes = {};

        @Override
        public void importFrom(Importer importer) {
            bytes = new byte[Long.BYTES];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = importer.readByte();
            }
        }
    }

    @Test
    void put_replyIsLost_isSentAgainUnderTheSameId() throws Exception {
        warmUp();
        for (long number = 0; number < 20; number++) {
            warmUpAgain();
            cluster.cable.loseReplies(1);
            client.put(CID, Values.of(number));
            assertThat(Values.number(client.get(CID))).isEqualTo(number);
        }
        assertThat(cluster.cable.repliesLost()).isPositive();
        assertThat(cluster.idsOfValues.values()).hasSize(20).allMatch(ids -> ids.size() == 1);
    }

    private void warmUpAgain() throws InterruptedException {
        for (int looks = 0; looks < 3_000 && lanes() == 0; looks++) {
            client.get(CID);
            Thread.sleep(1);
        }
    }

    /** One writer and its reader use lanes; with four of each, most gets go together. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void operations_connectionsBreakAllTheTime_areCarriedOutOnceAndSeenInOrder(int writers) throws Exception {
        int puts = 400 / writers;
        for (int writer = 0; writer < writers; writer++) {
            cluster.store(cidOf(writer), Values.of(-1));
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        AtomicInteger done = new AtomicInteger();
        cluster.cable.loseReplies(1);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            var _ = threads.submit(() -> {
                for (int turn = 0; !over.isDone(); turn++) {
                    // The next break comes when calls have succeeded since the last one, so that all of them end.
                    int before = done.get();
                    while (done.get() < before + OPERATIONS_BETWEEN_BREAKS && !over.isDone()) {
                        Thread.sleep(1);
                    }
                    if (turn % 3 == 0) {
                        cluster.cable.pull();
                    } else {
                        cluster.cable.loseReplies(1);
                    }
                }
                return null;
            });
            List<Future<?>> all = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                long base = (long) writer * puts;
                long cid = cidOf(writer);
                all.add(threads.submit(() -> {
                    for (long number = base; number < base + puts; number++) {
                        client.put(cid, Values.of(number));
                        assertThat(Values.number(client.get(cid))).isEqualTo(number);
                        done.incrementAndGet();
                    }
                }));
                all.add(threads.submit(() -> {
                    long last = -1;
                    while (last < base + puts - 1) {
                        long seen = Values.number(client.get(cid));
                        assertThat(seen).isGreaterThanOrEqualTo(last);
                        last = seen;
                        done.incrementAndGet();
                    }
                }));
            }
            try {
                for (Future<?> each : all) {
                    each.get(100, TimeUnit.SECONDS);
                }
            } finally {
                over.complete(null);
                threads.shutdownNow();
            }
        }
        assertThat(cluster.cable.repliesLost()).isPositive();
        assertThat(cluster.idsOfValues.values()).hasSize(writers * puts).allMatch(ids -> ids.size() == 1);
    }

    private static long cidOf(int writer) {
        return Cid.of(SocketCluster.STORAGE_NID, 10L + writer);
    }

    @Test
    void put_refusedForNow_isSentAgainUnderTheSameIdAfterThePauseThatWasTold() throws Exception {
        warmUp();
        AtomicInteger refusals = new AtomicInteger();
        cluster.storage = request -> {
            if (request.type() != MessageType.PUT || refusals.getAndIncrement() > 0) {
                return false;
            }
            request.fail(ErrorReply.retryLater(100_000_000, "not now"));
            return true;
        };
        long from = System.nanoTime();
        client.put(CID, Values.of(7));
        assertThat(System.nanoTime() - from).isGreaterThanOrEqualTo(100_000_000);
        assertThat(refusals).hasValue(2);
        assertThat(cluster.idsOfValues.get(7L)).hasSize(1);
    }

    @Test
    void put_refusedForGood_failsAsOverTheSharedConnection() throws Exception {
        warmUp();
        cluster.storage = request -> {
            request.fail(ErrorCode.BAD_REQUEST, "broken on purpose");
            return true;
        };
        assertThatThrownBy(() -> client.put(CID, VALUE)).hasMessageContaining("broken on purpose");
    }

    @Test
    void get_nobodyAnswers_failsWhenItsDeadlineHasPassed() throws Exception {
        GranaryClient hurried = GranaryClient.connect(cluster.options().withDeadline(Duration.ofMillis(300)));
        try (hurried) {
            for (int i = 0; i < 100; i++) {
                hurried.get(CID);
            }
            cluster.storage = request -> true;
            long from = System.nanoTime();
            assertThatThrownBy(() -> hurried.get(CID)).isInstanceOf(DeadlineExceededException.class);
            assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from)).isBetween(250L, 5_000L);
        }
    }

    @Test
    void get_callerIsInterrupted_failsAndTheNextCallWorks() throws Exception {
        warmUp();
        cluster.storage = request -> true;
        for (Thread.Builder kind : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
            CompletableFuture<String> seen = new CompletableFuture<>();
            Thread caller = kind.start(() -> {
                try {
                    client.get(CID);
                    seen.complete("a value");
                } catch (GranaryException e) {
                    seen.complete(e.getMessage() + Thread.currentThread().isInterrupted());
                }
            });
            Thread.sleep(50);
            caller.interrupt();
            assertThat(seen.get(30, TimeUnit.SECONDS)).contains("interrupted").endsWith("true");
            caller.join();
        }
        cluster.storage = request -> false;
        assertThat(client.get(CID)).isEqualTo(VALUE);
    }

    @Test
    void operations_manyVirtualThreads_allEnd() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                all.add(threads.submit(() -> {
                    for (int j = 0; j < 20; j++) {
                        assertThat(client.get(CID)).isEqualTo(VALUE);
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get(100, TimeUnit.SECONDS);
            }
        }
    }
}
