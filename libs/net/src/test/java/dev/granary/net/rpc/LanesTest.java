package dev.granary.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.granary.net.Frame;
import dev.granary.net.ManualTime;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@link Lanes} and {@link Lane} over pipes that are played. */
@Timeout(60)
class LanesTest {

    private static final int NID = 0x8000;
    private static final HostAddress ADDRESS = new HostAddress("peer", 7400);
    private static final long SECOND = 1_000_000_000;
    private static final long PAYLOAD = 0x0123456789ABCDEFL;
    private static final int REPLY_BYTES = Frame.HEADER_BYTES + Long.BYTES;

    private final ManualTime time = new ManualTime();
    private final List<ScriptedPipe> pipes = new ArrayList<>();
    private final AtomicInteger losses = new AtomicInteger();
    private boolean refuses;
    private final Lanes lanes = new Lanes(
            remote -> {
                if (refuses) {
                    return CompletableFuture.failedFuture(new IOException("refused"));
                }
                ScriptedPipe pipe = new ScriptedPipe(node(remote.port() == ADDRESS.port() ? NID : remote.port()));
                pipes.add(pipe);
                return CompletableFuture.completedFuture(pipe);
            },
            time,
            time,
            RpcIdentity.client(),
            _ -> losses.incrementAndGet());

    private static RpcIdentity node(int nid) {
        RpcIdentity node = new RpcIdentity(NodeRole.STORAGE_PEER, 11);
        node.joinCluster(new UUID(7, 8));
        node.takeNid(nid);
        return node;
    }

    @AfterEach
    void nothingIsLeft() {
        lanes.close();
        assertThat(lanes.count()).as("lanes after close").isZero();
        assertThat(pipes).allMatch(ScriptedPipe::isClosed);
        time.advance(SECOND);
        assertThat(time.waitingTasks()).as("timers of closed lanes").isZero();
    }

    private Lane lane() {
        return Objects.requireNonNull(take());
    }

    private @Nullable Lane take() {
        return lanes.take(ADDRESS, NID, time.nanoTime() + SECOND);
    }

    /** The first call finds none, and has one made. */
    private ScriptedPipe ready() {
        assertThat(take()).isNull();
        return pipes.getLast();
    }

    private static long call(Lane lane) {
        try {
            lane.request(MessageType.GET).writeLongLE(PAYLOAD);
            ByteBuf reply = lane.exchange();
            long found = reply.readLongLE();
            assertThat(reply.isReadable()).isFalse();
            return found;
        } finally {
            lane.release();
        }
    }

    @Test
    void call_replyInPieces_isReadWhole() {
        ScriptedPipe pipe = ready();
        for (int bytes = 1; bytes <= REPLY_BYTES; bytes++) {
            pipe.readBytes = bytes;
            assertThat(call(lane())).isEqualTo(PAYLOAD);
        }
        assertThat(pipes).hasSize(1);
        assertThat(losses).hasValue(0);
    }

    @Test
    void call_pipeEndsAtAnyByte_failsAsMaybeCarriedOut() {
        for (int end = 0; end < REPLY_BYTES; end++) {
            int bytes = end;
            ScriptedPipe pipe = ready();
            pipe.ends = true;
            pipe.tamper = whole -> Arrays.copyOf(whole, bytes);
            assertLost(lane());
            assertThat(pipe.isClosed()).isTrue();
            assertThat(lanes.count()).isZero();
        }
        assertThat(losses).hasValue(REPLY_BYTES);
    }

    private static void assertLost(Lane lane) {
        assertThatThrownBy(() -> call(lane))
                .isInstanceOfSatisfying(ConnectionLostException.class, lost -> assertThat(lost.maybeExecuted())
                        .isTrue());
    }

    @Test
    void call_anyBitOfTheReplyChanged_isNotBelieved() {
        for (int bit = 0; bit < REPLY_BYTES * Byte.SIZE; bit++) {
            int changed = bit;
            ScriptedPipe pipe = ready();
            pipe.ends = true;
            pipe.tamper = whole -> {
                whole[changed / Byte.SIZE] ^= (byte) (1 << changed % Byte.SIZE);
                return whole;
            };
            assertLost(lane());
            assertThat(pipe.isClosed()).isTrue();
        }
    }

    @Test
    void call_replyOfAnEarlierRequest_isNotBelieved() {
        ScriptedPipe pipe = ready();
        byte[][] first = new byte[1][];
        pipe.tamper = whole -> {
            first[0] = whole;
            return whole;
        };
        call(lane());
        pipe.tamper = _ -> first[0];
        assertLost(lane());
    }

    @Test
    void call_moreThanTheReply_isNotBelieved() {
        ScriptedPipe pipe = ready();
        pipe.tamper = whole -> Arrays.copyOf(whole, whole.length + 1);
        assertLost(lane());
        assertThat(lanes.count()).isZero();
    }

    @Test
    void call_refused_leavesTheLaneUsable() {
        ScriptedPipe pipe = ready();
        Lane refused = lane();
        pipe.kind = Frame.KIND_ERROR;
        ErrorReply.retryLater(5, "later").writeTo(refused.request(MessageType.GET));
        assertThatThrownBy(refused::exchange)
                .isInstanceOfSatisfying(RemoteErrorException.class, error -> assertThat(error.code())
                        .isEqualTo(ErrorCode.RETRY_LATER));
        refused.release();
        pipe.kind = Frame.KIND_REPLY;
        assertThat(call(lane())).isEqualTo(PAYLOAD);
        assertThat(pipes).hasSize(1);
    }

    @Test
    void call_largePayload_growsAndGivesTheRoomBack() {
        ready();
        Lane lane = lane();
        lane.request(MessageType.GET).writeZero(1 << 20);
        assertThat(lane.exchange().readableBytes()).isEqualTo(1 << 20);
        lane.release();
        Lane again = lane();
        assertThat(again.request(MessageType.GET).capacity()).isLessThan(1 << 17);
        again.release();
    }

    @Test
    void call_noReplyBeforeTheDeadline_timesOutAndClosesTheLane() throws Exception {
        ScriptedPipe pipe = ready();
        pipe.tamper = _ -> new byte[0];
        Lane lane = lane();
        CompletableFuture<Throwable> failure = CompletableFuture.supplyAsync(() -> catchThrowable(() -> call(lane)));
        while (pipe.requests() == 0) {
            Thread.sleep(1);
        }
        time.advance(SECOND - 1);
        Thread.sleep(20);
        assertThat(failure).isNotDone();
        time.advance(RpcClient.SWEEP_NANOS + 1);
        assertThat(failure.get(30, TimeUnit.SECONDS))
                .isInstanceOfSatisfying(CallTimeoutException.class, late -> assertThat(late.maybeExecuted())
                        .isTrue());
        assertThat(lanes.count()).isZero();
        assertThat(losses).hasValue(0);
    }

    @Test
    void call_callerInterrupted_failsAndClosesTheLane() throws Exception {
        ScriptedPipe pipe = ready();
        pipe.tamper = _ -> new byte[0];
        Lane lane = lane();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread caller = Thread.ofVirtual().start(() -> failure.complete(catchThrowable(() -> call(lane))));
        while (pipe.requests() == 0) {
            Thread.sleep(1);
        }
        caller.interrupt();
        assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(ConnectionLostException.class);
        caller.join();
        assertThat(lanes.count()).isZero();
    }

    @Test
    void take_allHeld_makesAsManyAsAllowedAndNoMore() {
        List<Lane> held = new ArrayList<>();
        for (int i = 0; i < 4 * Lanes.MOST_TO_ONE; i++) {
            Lane lane = take();
            if (lane != null) {
                held.add(lane);
            }
        }
        assertThat(held).hasSize(Lanes.MOST_TO_ONE).doesNotHaveDuplicates();
        assertThat(pipes).hasSize(Lanes.MOST_TO_ONE);
        held.forEach(Lane::release);
        Lane again = lane();
        assertThat(again).isIn(held);
        again.release();
    }

    @Test
    void take_manyNodes_boundsAllLanes() {
        for (int nid = 2; nid <= 4 * Lanes.MOST; nid += 2) {
            assertThat(lanes.take(new HostAddress("peer", nid), nid, time.nanoTime() + SECOND))
                    .isNull();
        }
        assertThat(pipes).hasSize(Lanes.MOST);
        assertThat(lanes.count()).isEqualTo(Lanes.MOST);
    }

    @Test
    void take_manyThreadsWaitWithoutLane_givesNone() {
        ready();
        for (int i = 0; i < Lanes.MOST_TO_ONE; i++) {
            lanes.share(NID, 1);
        }
        assertThat(take()).isNull();
        lanes.share(NID, -1);
        assertThat(call(lane())).isEqualTo(PAYLOAD);
    }

    @Test
    void take_moreThreadsThanLanesWithOrWithoutOne_givesNone() {
        List<Lane> held = new ArrayList<>();
        for (int i = 0; held.size() < Lanes.MOST_TO_ONE - 1 && i < 4 * Lanes.MOST_TO_ONE; i++) {
            Lane lane = take();
            if (lane != null) {
                held.add(lane);
            }
        }
        assertThat(held).hasSize(Lanes.MOST_TO_ONE - 1);
        assertThat(take()).as("the last one is made").isNull();
        lanes.share(NID, 1);
        assertThat(take()).isNull();
        held.removeLast().release();
        assertThat(call(lane())).isEqualTo(PAYLOAD);
        held.forEach(Lane::release);
    }

    @Test
    void take_nodeAtAnotherAddress_closesTheLanesToTheOldOne() {
        ScriptedPipe old = ready();
        HostAddress moved = new HostAddress("elsewhere", 7400);
        assertThat(lanes.take(moved, NID, time.nanoTime() + SECOND)).isNull();
        assertThat(old.isClosed()).isTrue();
        Lane lane = Objects.requireNonNull(lanes.take(moved, NID, time.nanoTime() + SECOND));
        assertThat(call(lane)).isEqualTo(PAYLOAD);
    }

    @Test
    void take_connectionToTheNodeWasLost_findsNoLaneThatMayBeDead() {
        ScriptedPipe pipe = ready();
        lanes.lost(ADDRESS, NID);
        assertThat(pipe.isClosed()).isTrue();
        assertThat(take()).isNull();
        assertThat(call(lane())).isEqualTo(PAYLOAD);
    }

    @Test
    void take_nodeIsAnotherOne_getsNoneAndPausesBetweenAttempts() {
        for (int i = 0; i < 3; i++) {
            assertThat(lanes.take(ADDRESS, NID + 2, time.nanoTime() + SECOND)).isNull();
        }
        assertThat(pipes).hasSize(1);
        assertThat(pipes.getFirst().isClosed()).isTrue();
        time.advance(SECOND);
        assertThat(lanes.take(ADDRESS, NID + 2, time.nanoTime() + SECOND)).isNull();
        assertThat(pipes).hasSize(2);
    }

    @Test
    void take_noPipeCanBeOpened_triesAgainAfterAPause() {
        refuses = true;
        assertThat(take()).isNull();
        refuses = false;
        assertThat(take()).isNull();
        assertThat(take()).isNull();
        time.advance(SECOND);
        assertThat(take()).isNull();
        assertThat(call(lane())).isEqualTo(PAYLOAD);
    }

    @Test
    void lane_notUsedForAMinute_isClosed() {
        ScriptedPipe pipe = ready();
        for (int i = 0; i < 10; i++) {
            time.advance(30 * SECOND);
            call(lane());
        }
        assertThat(pipe.isClosed()).isFalse();
        time.advance(90 * SECOND);
        assertThat(pipe.isClosed()).isTrue();
        assertThat(lanes.count()).isZero();
    }

    @Test
    void close_callUnderWay_failsIt() throws Exception {
        ScriptedPipe pipe = ready();
        pipe.tamper = _ -> new byte[0];
        Lane lane = lane();
        CompletableFuture<Throwable> failure = CompletableFuture.supplyAsync(() -> catchThrowable(() -> call(lane)));
        while (pipe.requests() == 0) {
            Thread.sleep(1);
        }
        lanes.close();
        assertThat(failure.get(30, TimeUnit.SECONDS)).isInstanceOf(ConnectionLostException.class);
        assertThat(losses).hasValue(0);
        assertThat(take()).isNull();
    }

    @Test
    void take_manyThreadsAndASweepThatCloses_neverSharesALane() throws Exception {
        List<CompletableFuture<Integer>> callers = new ArrayList<>();
        for (int caller = 0; caller < 8; caller++) {
            callers.add(CompletableFuture.supplyAsync(() -> {
                int done = 0;
                for (int i = 0; i < 20_000; i++) {
                    // Some are overdue at once: the sweep closes them at any moment.
                    long limitNanos = i % 100 == 0 ? 0 : RpcClient.MAX_TIMEOUT_NANOS;
                    Lane lane;
                    synchronized (pipes) {
                        lane = lanes.take(ADDRESS, NID, time.nanoTime() + limitNanos);
                    }
                    if (lane != null) {
                        try {
                            assertThat(call(lane)).isEqualTo(PAYLOAD);
                            done++;
                        } catch (RpcException e) {
                            assertThat(limitNanos).isZero();
                        }
                    }
                }
                return done;
            }));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new));
        while (!all.isDone()) {
            synchronized (pipes) {
                time.advance(RpcClient.SWEEP_NANOS);
            }
            Thread.onSpinWait();
        }
        int done = 0;
        for (CompletableFuture<Integer> each : callers) {
            done += each.get();
        }
        assertThat(done).isPositive();
        assertThat(lanes.count()).isLessThanOrEqualTo(Lanes.MOST_TO_ONE);
    }
}
