package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.env.Clock;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.CreateMessages.CreatedChunks;
import dev.granary.storage.data.Admission.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CompletedRequestsTest {

    private static final long MAX_TOTAL_BYTES = 32 << 20;

    private static final long[] CREATED = {1, 2};
    private static final long CLIENT = 77;

    private final AtomicLong now = new AtomicLong(-1_000);
    private final Clock clock = new Clock() {
        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public long wallMillis() {
            return 0;
        }
    };
    private final CompletedRequests table = new CompletedRequests(clock, 4, MAX_TOTAL_BYTES);

    @Test
    void begin_outcomes_areTold() {
        assertThat(kind(1, 0)).isEqualTo(Kind.NEW);
        assertThat(kind(1, 0)).isEqualTo(Kind.RUNNING);
        table.complete(CLIENT, 1, created(CREATED));
        Admission repeated = begin(table, CLIENT, 1, 0);
        assertThat(repeated.kind()).isEqualTo(Kind.REPEAT);
        assertThat(answerOf(repeated)).isEqualTo(CREATED);

        assertThat(kind(2, 0)).isEqualTo(Kind.NEW);
        table.abandon(CLIENT, 2);
        assertThat(kind(2, 0)).isEqualTo(Kind.NEW);
        table.lose(CLIENT, 2);
        assertThat(kind(2, 0)).isEqualTo(Kind.FORGOTTEN);
    }

    @Test
    void begin_acknowledged_isForgottenAndFreed() {
        kind(1, 0);
        table.complete(CLIENT, 1, created(CREATED));
        assertThat(table.storedBytes()).isEqualTo(2 * 9);

        assertThat(kind(5, 3)).isEqualTo(Kind.NEW);

        assertThat(table.storedBytes()).isZero();
        assertThat(kind(1, 0)).isEqualTo(Kind.FORGOTTEN);
        assertThat(kind(3, 0)).isEqualTo(Kind.FORGOTTEN);
        assertThat(kind(4, 0)).isEqualTo(Kind.NEW);
    }

    @Test
    void begin_acknowledgedWhileRunning_ignoresTheLateAnswer() {
        kind(1, 0);
        kind(2, 1);
        table.complete(CLIENT, 1, created(CREATED));

        assertThat(table.storedBytes()).isZero();
        assertThat(kind(1, 0)).isEqualTo(Kind.FORGOTTEN);
    }

    @Test
    void begin_windowOverrun_forgetsTheOldest() {
        kind(1, 0);
        table.complete(CLIENT, 1, created(CREATED));
        kind(2, 0);
        table.complete(CLIENT, 2, created(CREATED));

        assertThat(kind(1 + ClientRequests.MAX_WINDOW, 0)).isEqualTo(Kind.NEW);

        assertThat(kind(1, 0)).isEqualTo(Kind.FORGOTTEN);
        assertThat(kind(2, 0)).isEqualTo(Kind.REPEAT);
        assertThat(kind(Long.MAX_VALUE, 0)).isEqualTo(Kind.NEW);
        assertThat(kind(2, 0)).isEqualTo(Kind.FORGOTTEN);
    }

    @Test
    void complete_tooManyBytes_forgetsTheOldest() {
        long[] large = new long[(int) CompletedRequests.MAX_CLIENT_BYTES / 2 / 9];
        for (long sequence = 1; sequence <= 3; sequence++) {
            kind(sequence, 0);
            table.complete(CLIENT, sequence, created(large));
        }

        assertThat(table.storedBytes()).isEqualTo(2L * 9 * large.length);
        assertThat(kind(1, 0)).isEqualTo(Kind.FORGOTTEN);
        assertThat(kind(2, 0)).isEqualTo(Kind.REPEAT);
    }

    @Test
    void complete_tooManyBytesOfAll_trimsEverybody() {
        CompletedRequests many = new CompletedRequests(clock, 100, MAX_TOTAL_BYTES);
        long[] large = new long[(int) CompletedRequests.MAX_CLIENT_BYTES / 9];
        for (long client = 1; client <= 20; client++) {
            begin(many, client, 1, 0);
            many.complete(client, 1, created(large));
            assertThat(many.storedBytes()).isLessThanOrEqualTo(MAX_TOTAL_BYTES);
        }
    }

    @Test
    void begin_tooManyClients_refusesUntilOneIsIdle() {
        for (long client = 1; client <= 4; client++) {
            begin(table, client, 1, 0);
            table.complete(client, 1, created(CREATED));
        }
        assertThat(begin(table, 5, 1, 0).kind()).isEqualTo(Kind.FULL);

        now.addAndGet(CompletedRequests.MIN_IDLE_NANOS);
        begin(table, 1, 1, 0);
        assertThat(begin(table, 5, 1, 0).kind()).isEqualTo(Kind.NEW);
        assertThat(table.clientCount()).isEqualTo(2);
    }

    @Test
    void expire_idleClients_goButThoseWithRunningRequestsStay() {
        begin(table, 1, 1, 0);
        table.complete(1, 1, created(CREATED));
        begin(table, 2, 1, 0);
        now.addAndGet(CompletedRequests.IDLE_NANOS);

        table.expire();

        assertThat(table.clientCount()).isEqualTo(1);
        assertThat(table.storedBytes()).isZero();
        assertThat(begin(table, 2, 1, 0).kind()).isEqualTo(Kind.RUNNING);
    }

    /** Compares with a plain model: an unbounded map of outcomes, and the highest acknowledged sequence. */
    @Test
    void operations_random_agreeWithTheModel() {
        long seed = 20_261_121;
        Random random = new Random(seed);
        Map<Long, long[]> answers = new HashMap<>();
        List<Long> running = new ArrayList<>();
        long acked = 0;
        for (int step = 0; step < 50_000; step++) {
            long sequence = Math.max(1, acked - 3 + random.nextInt(60));
            long newAcked = random.nextInt(10) == 0 ? Math.min(sequence - 1, acked + random.nextInt(4)) : 0;
            acked = Math.max(acked, newAcked);
            Admission admission = begin(table, CLIENT, sequence, newAcked);
            Kind expected = sequence <= acked
                    ? Kind.FORGOTTEN
                    : running.contains(sequence)
                            ? Kind.RUNNING
                            : answers.containsKey(sequence) ? Kind.REPEAT : Kind.NEW;
            assertThat(admission.kind())
                    .as("seed %d, step %d, sequence %d", seed, step, sequence)
                    .isEqualTo(expected);
            if (expected == Kind.REPEAT) {
                assertThat(answerOf(admission)).isEqualTo(answers.get(sequence));
            } else if (expected == Kind.NEW) {
                running.add(sequence);
            }
            if (running.size() > 5 || random.nextBoolean()) {
                finishOne(random, running, answers);
            }
        }
    }

    private void finishOne(Random random, List<Long> running, Map<Long, long[]> answers) {
        if (running.isEmpty()) {
            return;
        }
        long sequence = running.remove(random.nextInt(running.size()));
        if (random.nextInt(4) == 0) {
            table.abandon(CLIENT, sequence);
        } else {
            long[] answer = random.longs(random.nextInt(20)).toArray();
            answers.put(sequence, answer);
            table.complete(CLIENT, sequence, created(answer));
        }
    }

    @Test
    void begin_sameRequestFromManyThreads_isCarriedOutOnce() throws Exception {
        int threads = 4;
        int requests = 2_000;
        AtomicInteger[] carriedOut = new AtomicInteger[requests + 1];
        for (int i = 0; i <= requests; i++) {
            carriedOut[i] = new AtomicInteger();
        }
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> workers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                workers.add(pool.submit(() -> {
                    start.await();
                    for (int sequence = 1; sequence <= requests; sequence++) {
                        if (begin(table, CLIENT, sequence, 0).kind() == Kind.NEW) {
                            carriedOut[sequence].incrementAndGet();
                            table.complete(CLIENT, sequence, created(CREATED));
                        }
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> worker : workers) {
                worker.get();
            }
        }
        for (int sequence = 1; sequence <= requests; sequence++) {
            assertThat(carriedOut[sequence]).as("sequence %d", sequence).hasValue(1);
        }
        assertThat(table.storedBytes()).isEqualTo(2L * 9 * requests);
    }

    @Test
    void begin_partDoneByAnotherPeer_asksForTheRestOnly() {
        CompletedRequests source = new CompletedRequests(clock, 4, MAX_TOTAL_BYTES);
        int[] statuses = new int[3];
        source.begin(CLIENT, 1, 0, new long[] {7, 8, 9}, 3, statuses);
        assertThat(statuses).containsOnly(Completion.UNDONE);
        int[] done = {ChunkStatus.OK, ChunkStatus.NOT_FOUND, ChunkStatus.WRONG_OWNER};
        source.complete(CLIENT, 1, completion(new long[] {7, 8, 9}, done));

        move(source, table, 8, 9);

        Admission admission = table.begin(CLIENT, 1, 0, new long[] {9, 8}, 2, statuses);
        assertThat(admission.kind()).isEqualTo(Kind.NEW);
        assertThat(statuses).startsWith(Completion.UNDONE, ChunkStatus.NOT_FOUND);
        table.complete(CLIENT, 1, completion(new long[] {9, 8}, new int[] {0, 1}));
        assertThat(table.begin(CLIENT, 1, 0, new long[] {8, 9}, 2, statuses).kind())
                .isEqualTo(Kind.REPEAT);
        assertThat(statuses).startsWith(ChunkStatus.NOT_FOUND, ChunkStatus.OK);
        assertThat(table.storedBytes()).isEqualTo(2 * 9);
        // Chunk 7 has not moved, so nothing is known of it here.
        assertThat(table.begin(CLIENT, 1, 0, new long[] {7}, 1, statuses).kind())
                .isEqualTo(Kind.NEW);
    }

    @Test
    void learner_whatTheSourceForgotOrLost_isNotCarriedOutHereEither() {
        CompletedRequests source = new CompletedRequests(clock, 4, MAX_TOTAL_BYTES);
        long[] large = new long[(int) CompletedRequests.MAX_CLIENT_BYTES / 9];
        for (long sequence = 1; sequence <= 3; sequence++) {
            begin(source, CLIENT, sequence, 0);
            source.complete(CLIENT, sequence, created(large));
        }
        begin(source, CLIENT, 4, 0);
        source.lose(CLIENT, 4);

        move(source, table, 1, Long.MAX_VALUE);

        assertThat(kind(1, 0)).isEqualTo(Kind.FORGOTTEN);
        assertThat(kind(2, 0)).isEqualTo(Kind.FORGOTTEN);
        assertThat(kind(4, 0)).isEqualTo(Kind.FORGOTTEN);
        assertThat(kind(5, 0)).isEqualTo(Kind.NEW);
    }

    @Test
    void findCreated_travelledInTwoParts_hasAllInTheOrderInWhichTheyCame() {
        CompletedRequests source = new CompletedRequests(clock, 4, MAX_TOTAL_BYTES);
        begin(source, CLIENT, 1, 0);
        source.complete(CLIENT, 1, created(new long[] {3, 9, 4, 8}));
        begin(table, CLIENT, 2, 0);

        assertThat(table.findCreated(CLIENT, 1)).isEqualTo(new CreatedChunks(true, List.of()));
        assertThat(table.findCreated(CLIENT + 1, 1)).isEqualTo(new CreatedChunks(true, List.of()));
        move(source, table, 8, 9);
        assertThat(table.findCreated(CLIENT, 1)).isEqualTo(new CreatedChunks(true, List.of(9L, 8L)));
        move(source, table, 1, 4);
        assertThat(table.findCreated(CLIENT, 1)).isEqualTo(new CreatedChunks(true, List.of(9L, 8L, 3L, 4L)));

        // A chunk that comes back to where the request was carried out does not change the order of the answer there.
        move(table, source, 1, 9);
        assertThat(answerOf(begin(source, CLIENT, 1, 0))).containsExactly(3, 9, 4, 8);
    }

    @Test
    void findCreated_forgottenOrLost_isNotKnown() {
        begin(table, CLIENT, 3, 2);
        table.lose(CLIENT, 3);

        assertThat(table.findCreated(CLIENT, 2).known()).isFalse();
        assertThat(table.findCreated(CLIENT, 3).known()).isFalse();
        assertThat(table.findCreated(CLIENT, 4).known()).isTrue();
    }

    private static Completion completion(long[] cids, int[] statuses) {
        return Objects.requireNonNull(Completion.ofChange(cids, statuses, cids.length));
    }

    private static void move(CompletedRequests from, CompletedRequests to, long startCid, long endCidInclusive) {
        RequestLuggage source = new RequestLuggage(from, new LockTokens());
        RequestLuggage target = new RequestLuggage(to, new LockTokens());
        source.pack(startCid, endCidInclusive, 1).forEach(target::unpack);
    }

    private static Admission begin(CompletedRequests table, long clientId, long sequence, long acked) {
        return table.begin(clientId, sequence, acked, new long[0], 0, new int[0]);
    }

    private static Completion created(long[] cids) {
        return Completion.ofCreate(cids, cids.length);
    }

    private static long[] answerOf(Admission admission) {
        return Objects.requireNonNull(admission.known()).cids();
    }

    private Kind kind(long sequence, long acked) {
        return begin(table, CLIENT, sequence, acked).kind();
    }
}
