package dev.granary.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.Frame;
import dev.granary.net.ManualTime;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link JointGets} over pipes that are played: each chunk holds its own CID, and odd CIDs have no chunk. */
@Timeout(120)
class JointGetsTest {

    private static final int NID = 0x8000;
    private static final HostAddress ADDRESS = new HostAddress("peer", 7400);

    private final ManualTime time = new ManualTime();
    private final List<ScriptedPipe> pipes = new ArrayList<>();
    private final AtomicInteger gets = new AtomicInteger();

    /** The most chunks of a reply. */
    private volatile int mostChunks = Integer.MAX_VALUE;

    /** Runs while a request is under way, with the number of its CIDs. */
    private volatile Consuming underWay = count -> {};

    private volatile boolean refuses;
    private volatile boolean loses;
    private volatile boolean silent;

    private Lanes lanes = lanes(1);

    private Lanes lanes(int jointGroups) {
        return new Lanes(
                remote -> {
                    ScriptedPipe pipe = new ScriptedPipe(node());
                    pipe.tamper = this::answer;
                    synchronized (pipes) {
                        pipes.add(pipe);
                    }
                    return CompletableFuture.completedFuture(pipe);
                },
                time,
                time,
                RpcIdentity.client(),
                _ -> {},
                jointGroups);
    }

    /** Takes a number. */
    private interface Consuming {
        void take(int number);
    }

    private static RpcIdentity node() {
        RpcIdentity node = new RpcIdentity(NodeRole.STORAGE_PEER, 11);
        node.joinCluster(new UUID(7, 8));
        node.takeNid(NID);
        return node;
    }

    @AfterEach
    void nobodyLeadsAndNothingIsLeft() {
        silent = false;
        loses = false;
        refuses = false;
        mostChunks = Integer.MAX_VALUE;
        underWay = count -> {};
        time.advance(60_000_000_000L);
        ready();
        for (int i = 0; i < 3 * JointGets.PLACES; i++) {
            assertThat(get(2)).as("a get when all is over").isEqualTo(bytes(2));
        }
        lanes.close();
        assertThat(lanes.count()).isZero();
    }

    /** Makes lanes until there is one. */
    private void ready() {
        Lane lane = null;
        for (int i = 0; i < 3 && lane == null; i++) {
            lane = lanes.take(ADDRESS, NID, Long.MAX_VALUE);
        }
        Objects.requireNonNull(lane).release();
    }

    private byte @Nullable [] get(long cid) {
        return lanes.getJointly(NID, cid);
    }

    private static byte[] bytes(long cid) {
        return ByteBuffer.allocate(Long.BYTES).putLong(cid).array();
    }

    /** Makes an answer of an echoed request. */
    private byte[] answer(byte[] echoed) {
        ByteBuf request = Unpooled.wrappedBuffer(echoed);
        ByteBuf out = Unpooled.buffer();
        int kind = refuses ? Frame.KIND_ERROR : Frame.KIND_REPLY;
        Frame.start(out, kind, MessageType.GET, Frame.correlation(request));
        request.skipBytes(Frame.HEADER_BYTES + Integer.BYTES);
        int count = request.readIntLE();
        assertThat(request.readableBytes()).isEqualTo(count * Long.BYTES);
        gets.incrementAndGet();
        underWay.take(count);
        if (silent) {
            return new byte[0];
        }
        if (refuses) {
            ErrorReply.retryLater(5, "later").writeTo(out);
        } else {
            int done = Math.min(count, mostChunks);
            out.writeIntLE(done);
            ByteBuf values = Unpooled.buffer();
            for (int i = 0; i < done; i++) {
                long cid = request.readLongLE();
                out.writeIntLE(cid % 2 == 0 ? Long.BYTES : -ChunkStatus.NOT_FOUND);
                if (cid % 2 == 0) {
                    values.writeLong(cid);
                }
            }
            out.writeBytes(values);
        }
        Frame.finish(out);
        byte[] whole = Arrays.copyOf(out.array(), out.readableBytes());
        if (loses) {
            whole[Frame.CHECKSUM_OFFSET] ^= 1;
        }
        return whole;
    }

    /** A thread that gets one chunk. */
    private final class Caller {

        final CompletableFuture<byte @Nullable []> value = new CompletableFuture<>();
        final AtomicBoolean interruptedAfter = new AtomicBoolean();
        final Thread thread;

        Caller(long cid) {
            thread = Thread.ofPlatform().start(() -> {
                byte[] found = get(cid);
                interruptedAfter.set(Thread.currentThread().isInterrupted());
                value.complete(found);
            });
        }

        byte @Nullable [] await() throws Exception {
            return value.get(60, TimeUnit.SECONDS);
        }
    }

    private static void awaitParked(List<Caller> callers) {
        for (Caller each : callers) {
            while (each.thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
        }
    }

    /** A first request, which is under way until {@code go}, and callers that wait behind it. */
    private final class Jam {

        final CountDownLatch go = new CountDownLatch(1);
        final Caller first;
        final List<Caller> behind = new ArrayList<>();

        Jam(int callers) throws InterruptedException {
            CountDownLatch begun = new CountDownLatch(1);
            underWay = count -> {
                begun.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            };
            first = new Caller(1 << 20);
            begun.await();
            for (int i = 1; i <= callers; i++) {
                behind.add(new Caller(2L * i));
            }
            awaitParked(behind.subList(0, Math.min(callers, JointGets.PLACES - 1)));
        }
    }

    @Test
    void get_oneThread_isAnsweredOverALaneThatIsFreeAfterwards() {
        ready();
        assertThat(get(4)).isEqualTo(bytes(4));
        assertThat(gets).hasValue(1);
        List<Lane> all = new ArrayList<>();
        for (int i = 0; i < 2 * Lanes.MOST_TO_ONE; i++) {
            Lane lane = lanes.take(ADDRESS, NID, Long.MAX_VALUE);
            if (lane != null) {
                all.add(lane);
            }
        }
        assertThat(all).hasSize(Lanes.MOST_TO_ONE);
        assertThat(get(4)).as("without a free lane").isNull();
        all.forEach(Lane::release);
    }

    @Test
    void get_manyThreadsBehindARequest_areOneRequestAndEachGetsItsOwn() throws Exception {
        ready();
        Jam jam = new Jam(8);
        AtomicInteger second = new AtomicInteger();
        underWay = second::set;
        jam.go.countDown();
        assertThat(jam.first.await()).isEqualTo(bytes(1 << 20));
        for (int i = 0; i < 8; i++) {
            assertThat(jam.behind.get(i).await()).isEqualTo(bytes(2L * (i + 1)));
        }
        assertThat(gets).hasValue(2);
        assertThat(second).hasValue(8);
    }

    @Test
    void get_threadOfAnotherGroup_isNotBehindTheRequestUnderWay() throws Exception {
        lanes.close();
        lanes = lanes(2);
        ready();
        List<Lane> both = new ArrayList<>();
        for (int i = 0; both.size() < 2 && i < 10; i++) {
            Lane lane = lanes.take(ADDRESS, NID, Long.MAX_VALUE);
            if (lane != null) {
                both.add(lane);
            }
        }
        assertThat(both).hasSize(2);
        both.forEach(Lane::release);
        Jam jam = new Jam(0);
        underWay = count -> {};
        List<Caller> others = new ArrayList<>();
        for (int i = 1; i <= 16; i++) {
            others.add(new Caller(2L * i));
        }
        CompletableFuture.anyOf(others.stream().map(each -> each.value).toArray(CompletableFuture[]::new))
                .get(60, TimeUnit.SECONDS);
        assertThat(jam.first.value).isNotDone();
        jam.go.countDown();
        assertThat(jam.first.await()).isEqualTo(bytes(1 << 20));
        for (int i = 0; i < 16; i++) {
            assertThat(others.get(i).await()).isEqualTo(bytes(2L * (i + 1)));
        }
    }

    @Test
    void get_noSuchChunk_goesAlone() {
        ready();
        assertThat(get(5)).isNull();
    }

    @Test
    void get_nodeThatNoLaneWasAskedFor_goesAlone() {
        assertThat(get(4)).isNull();
        assertThat(gets).hasValue(0);
        ready();
    }

    @Test
    void get_replyWithPartOfTheChunks_asksForTheOthersAgain() throws Exception {
        ready();
        mostChunks = 3;
        Jam jam = new Jam(8);
        jam.go.countDown();
        for (int i = 0; i < 8; i++) {
            assertThat(jam.behind.get(i).await()).isEqualTo(bytes(2L * (i + 1)));
        }
        assertThat(gets).hasValue(4);
    }

    @Test
    void get_requestIsRefused_allGoAloneAndTheLaneStays() throws Exception {
        ready();
        Jam jam = new Jam(4);
        refuses = true;
        jam.go.countDown();
        for (Caller each : jam.behind) {
            assertThat(each.await()).isNull();
        }
        assertThat(pipes).hasSize(1).noneMatch(ScriptedPipe::isClosed);
    }

    @Test
    void get_replyCannotBeTrusted_allGoAloneAndTheLaneIsClosed() throws Exception {
        ready();
        Jam jam = new Jam(4);
        underWay = count -> loses = true;
        jam.go.countDown();
        for (Caller each : jam.behind) {
            assertThat(each.await()).isNull();
        }
        assertThat(pipes.getFirst().isClosed()).isTrue();
    }

    @Test
    void get_noReplyInTime_allGoAloneAndTheLaneIsClosed() throws Exception {
        ready();
        CountDownLatch sent = new CountDownLatch(2);
        Jam jam = new Jam(4);
        underWay = count -> {
            silent = true;
            sent.countDown();
        };
        sent.countDown();
        jam.go.countDown();
        sent.await();
        while (!jam.first.value.isDone()) {
            Thread.onSpinWait();
        }
        for (Caller each : jam.behind) {
            assertThat(each.value).isNotDone();
        }
        time.advance(JointGets.LIMIT_NANOS + RpcClient.SWEEP_NANOS);
        for (Caller each : jam.behind) {
            assertThat(each.await()).isNull();
        }
        assertThat(pipes.getFirst().isClosed()).isTrue();
    }

    @Test
    void get_interruptedBehindARequest_goesAloneAndDoesNotDisturbTheOthers() throws Exception {
        ready();
        Jam jam = new Jam(4);
        Caller interrupted = jam.behind.get(1);
        interrupted.thread.interrupt();
        assertThat(interrupted.await()).isNull();
        assertThat(interrupted.interruptedAfter).isTrue();
        underWay = count -> {};
        jam.go.countDown();
        assertThat(jam.first.await()).isEqualTo(bytes(1 << 20));
        assertThat(jam.behind.get(0).await()).isEqualTo(bytes(2));
        assertThat(jam.behind.get(3).await()).isEqualTo(bytes(8));
    }

    @Test
    void get_leaderInterrupted_allGoAlone() throws Exception {
        ready();
        CountDownLatch begun = new CountDownLatch(1);
        underWay = count -> {
            silent = true;
            begun.countDown();
        };
        Caller leader = new Caller(2);
        begun.await();
        Caller other = new Caller(4);
        awaitParked(List.of(other));
        loses = true;
        silent = false;
        leader.thread.interrupt();
        assertThat(leader.await()).isNull();
        assertThat(leader.interruptedAfter).isTrue();
        other.await();
        assertThat(pipes.getFirst().isClosed()).isTrue();
    }

    @Test
    void get_allPlacesTaken_goesAlone() throws Exception {
        ready();
        Jam jam = new Jam(JointGets.PLACES - 1);
        assertThat(get(2)).isNull();
        underWay = count -> {};
        jam.go.countDown();
        for (int i = 0; i < jam.behind.size(); i++) {
            assertThat(jam.behind.get(i).await()).isEqualTo(bytes(2L * (i + 1)));
        }
    }

    @Test
    void get_manyThreadsWithLossesAndInterrupts_neverGivesTheValueOfAnother() throws Exception {
        ready();
        SplittableRandom faults = new SplittableRandom(7);
        underWay = count -> {
            int draw;
            synchronized (faults) {
                draw = faults.nextInt(1_000);
            }
            loses = draw == 0;
            refuses = draw == 1;
            mostChunks = draw % 8 == 7 ? 1 + count / 2 : Integer.MAX_VALUE;
        };
        AtomicInteger found = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 12; number++) {
            long base = number * 1_000_000L;
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends.add(end);
            Thread.Builder kind = number % 3 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
            threads.add(kind.start(() -> {
                try {
                    for (long i = 0; !stop.get(); i++) {
                        long cid = base + i;
                        byte[] value = get(cid);
                        if (value != null) {
                            assertThat(cid % 2).isZero();
                            assertThat(value).isEqualTo(bytes(cid));
                            found.incrementAndGet();
                        } else {
                            // Another lane is made, since some were lost.
                            Lane lane = lanes.take(ADDRESS, NID, Long.MAX_VALUE);
                            if (lane != null) {
                                lane.release();
                            }
                        }
                        var _ = Thread.interrupted();
                    }
                    end.complete(null);
                } catch (Throwable e) {
                    end.completeExceptionally(e);
                }
            }));
        }
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 1_500; i++) {
            threads.get(random.nextInt(threads.size())).interrupt();
            time.advance(RpcClient.SWEEP_NANOS);
            Thread.sleep(1);
        }
        stop.set(true);
        while (!CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).isDone()) {
            time.advance(RpcClient.SWEEP_NANOS);
            Thread.sleep(1);
        }
        for (CompletableFuture<Void> each : ends) {
            each.get();
        }
        assertThat(found.get()).isGreaterThan(1_000);
    }
}
