package dev.granary.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.granary.net.CountingAllocator;
import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.ManualTime;
import dev.granary.net.access.AccessLog;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.message.StatusText;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls over real connections, with deadlines on a clock that the test moves. */
class RpcTest {

    private static final UUID CLUSTER = new UUID(7, 8);
    private static final int SERVER_NID = 0x8000;
    private static final long SECOND = 1_000_000_000;
    private static final int LIMIT_SECONDS = 30;
    private static final HostAddress ANY_PORT = new HostAddress("127.0.0.1", 0);

    private final CountingAllocator allocator = new CountingAllocator();
    private final NettyOptions options =
            NettyOptions.defaults().withIoThreads(1).withAllocator(allocator.buffers());
    private final ManualTime time = new ManualTime();
    private final RpcIdentity serverIdentity = new RpcIdentity(NodeRole.STORAGE_PEER, 11);
    private final AccessLog denials = new AccessLog(time);
    private final RpcIdentity clientIdentity = RpcIdentity.client();
    private final NettyTransport clientTransport = new NettyTransport(options);
    private final RpcClient client = new RpcClient(clientTransport, time, time, clientIdentity);
    private NettyTransport serverTransport = new NettyTransport(options);

    @AfterEach
    void nothingIsLeft() {
        client.close();
        clientTransport.close();
        serverTransport.close();
        allocator.assertAllReleased();
        time.advance(SECOND);
        assertThat(time.waitingTasks()).as("timers of a closed client").isZero();
    }

    @Test
    void call_controlMessage_isAnsweredByTheHandler() throws Exception {
        HostAddress address = serve(request -> {
            assertThat(request.caller().role()).isEqualTo(NodeRole.CLIENT);
            request.reply(
                    new StatusText("cid " + request.read(MessageType.LOOKUP).cid()));
        });
        CompletableFuture<String> reply = client.call(
                address,
                SERVER_NID,
                MessageType.LOOKUP.code(),
                new Lookup(42)::writeTo,
                payload -> MessageType.CLUSTER_STATUS.readReply(payload).json(),
                SECOND);
        assertThat(get(reply)).isEqualTo("cid 42");
    }

    @Test
    void call_manyAtOnceAnsweredInAnotherOrder_eachGetsItsOwnReply() throws Exception {
        int calls = 500;
        List<RpcRequest> waiting = new ArrayList<>();
        List<Integer> values = new ArrayList<>();
        HostAddress address = serve(request -> {
            waiting.add(request);
            values.add(request.payload().readIntLE());
            if (waiting.size() == calls) {
                for (int i = calls - 1; i >= 0; i--) {
                    ByteBuf reply = waiting.get(i).startReply(4);
                    waiting.get(i).reply(reply.writeIntLE(-values.get(i)));
                }
            }
        });
        List<CompletableFuture<Integer>> replies = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            int value = i;
            replies.add(
                    client.call(address, 0, MessageType.GET, out -> out.writeIntLE(value), ByteBuf::readIntLE, SECOND));
        }
        for (int i = 0; i < calls; i++) {
            assertThat(get(replies.get(i))).isEqualTo(-i);
        }
    }

    @Test
    void call_errorReply_failsWithWhatTheOtherNodeSaid() throws Exception {
        HostAddress elsewhere = new HostAddress("elsewhere", 7400);
        HostAddress address = serve(request -> request.fail(ErrorReply.redirect(elsewhere, 3, "ask the other one")));
        RemoteErrorException failure = failure(status(address), RemoteErrorException.class);
        assertThat(failure.code()).isEqualTo(ErrorCode.REDIRECT);
        assertThat(failure.reply().redirect()).isEqualTo(elsewhere);
        assertThat(failure.reply().ringEpoch()).isEqualTo(3);
        assertThat(failure.maybeExecuted()).isFalse();
        assertThat(failure)
                .hasMessageContaining(address.toString())
                .hasMessageContaining("cluster-status")
                .hasMessageContaining("ask the other one");
    }

    @Test
    void handle_throws_isAnsweredAndTheConnectionStays() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HostAddress address = serve(request -> {
            switch (requests.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("broken on purpose");
                case 2 -> throw new FrameException("unreadable on purpose");
                case 3 -> request.payload().readLong();
                default -> request.reply(new StatusText("fine"));
            }
        });
        RemoteErrorException internal = failure(status(address), RemoteErrorException.class);
        assertThat(internal.code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(internal.maybeExecuted()).isTrue();
        assertThat(internal).hasMessageContaining("broken on purpose");
        assertThat(failure(status(address), RemoteErrorException.class).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(failure(status(address), RemoteErrorException.class).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(get(status(address)).json()).isEqualTo("fine");
    }

    @Test
    void reply_twice_isRefused() throws Exception {
        CompletableFuture<Throwable> second = new CompletableFuture<>();
        HostAddress address = serve(request -> {
            request.reply(new StatusText("first"));
            second.complete(catchThrowable(() -> request.reply(new StatusText("second"))));
        });
        assertThat(get(status(address)).json()).isEqualTo("first");
        assertThat(get(second)).isInstanceOf(IllegalStateException.class).hasMessageContaining("answered twice");
    }

    @Test
    void reply_largerThanAFrame_isAnsweredWithTooLarge() throws Exception {
        HostAddress address = serve(
                request -> request.reply(request.startReply(Frame.MAX_BYTES).writeZero(Frame.MAX_BYTES)));
        assertThat(failure(status(address), RemoteErrorException.class).code()).isEqualTo(ErrorCode.TOO_LARGE);
    }

    @Test
    void call_requestLargerThanAFrame_isRefusedAtOnce() throws Exception {
        assertThatThrownBy(() -> client.call(
                        ANY_PORT, 0, MessageType.GET, out -> out.writeZero(Frame.MAX_BYTES), in -> in, SECOND))
                .isInstanceOf(FrameException.class);
    }

    @Test
    void call_malformedReply_failsAndTheConnectionStays() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HostAddress address = serve(request -> {
            if (requests.incrementAndGet() == 1) {
                request.reply(new Empty());
            } else {
                request.reply(new StatusText("fine"));
            }
        });
        assertThat(failure(status(address), MalformedReplyException.class).maybeExecuted())
                .isTrue();
        assertThat(get(status(address)).json()).isEqualTo("fine");
    }

    @Test
    void call_readerFailsForAReasonOfItsOwn_failsWithThatReason() throws Exception {
        HostAddress address = serve(request -> request.reply(new Empty()));
        CompletableFuture<Object> call = client.call(
                address,
                0,
                MessageType.GET,
                out -> {},
                in -> {
                    throw new UnsupportedOperationException("of its own");
                },
                SECOND);
        assertThat(failure(call, UnsupportedOperationException.class)).hasMessage("of its own");
    }

    @Test
    void call_noReplyBeforeTheDeadline_failsAndTheLateReplyIsDropped() throws Exception {
        BlockingQueue<RpcRequest> received = new LinkedBlockingQueue<>();
        HostAddress address = serve(received::add);
        CompletableFuture<StatusText> first = status(address);
        RpcRequest late = take(received);
        time.advance(SECOND - RpcClient.SWEEP_NANOS);
        assertThat(first).isNotDone();
        time.advance(2 * RpcClient.SWEEP_NANOS);
        CallTimeoutException failure = failure(first, CallTimeoutException.class);
        assertThat(failure.maybeExecuted()).isTrue();
        assertThat(failure).hasMessageContaining("cluster-status").hasMessageContaining(address.toString());

        late.reply(new StatusText("late"));
        CompletableFuture<StatusText> second = status(address);
        take(received).reply(new StatusText("second"));
        assertThat(get(second).json()).isEqualTo("second");
    }

    @Test
    void call_connectionLost_failsAllAndSaysThatTheyMayHaveBeenExecuted() throws Exception {
        BlockingQueue<RpcRequest> received = new LinkedBlockingQueue<>();
        HostAddress address = serve(received::add);
        CompletableFuture<StatusText> first = status(address);
        CompletableFuture<StatusText> second = status(address);
        take(received);
        take(received);
        serverTransport.close();
        ConnectionLostException failure = failure(first, ConnectionLostException.class);
        assertThat(failure.maybeExecuted()).isTrue();
        assertThat(failure).hasMessageContaining("cluster-status").hasMessageContaining(address.toString());
        assertThat(failure(second, ConnectionLostException.class).maybeExecuted())
                .isTrue();
    }

    @Test
    void call_nobodyListens_failsThenWaitsForTheBackOffThenSucceeds() throws Exception {
        HostAddress address = serve(request -> request.reply(new StatusText("never")));
        serverTransport.close();
        ConnectionLostException refused = failure(status(address), ConnectionLostException.class);
        assertThat(refused.maybeExecuted()).isFalse();

        CompletableFuture<StatusText> waiting = status(address);
        serverTransport = new NettyTransport(options);
        get(serverTransport.listen(address, server(request -> request.reply(new StatusText("back")))));
        assertThat(waiting).isNotDone();
        time.advance(ClientLink.BACKOFF.firstNanos() + RpcClient.SWEEP_NANOS);
        assertThat(get(waiting).json()).isEqualTo("back");
    }

    @Test
    void callUnlessRefused_refusedAMomentAgo_failsAtOnceAndGoesThroughAfterTheBackOff() throws Exception {
        HostAddress address = serve(request -> request.reply(new StatusText("never")));
        serverTransport.close();
        failure(impatientStatus(address), ConnectionLostException.class);

        CompletableFuture<StatusText> second = impatientStatus(address);
        assertThat(second).isCompletedExceptionally();
        assertThat(failure(second, ConnectionLostException.class))
                .hasMessageContaining("a moment ago")
                .matches(refused -> !refused.maybeExecuted());

        serverTransport = new NettyTransport(options);
        get(serverTransport.listen(address, server(request -> request.reply(new StatusText("back")))));
        time.advance(ClientLink.BACKOFF.firstNanos());
        assertThat(get(impatientStatus(address)).json()).isEqualTo("back");
    }

    private CompletableFuture<StatusText> impatientStatus(HostAddress address) {
        return client.callUnlessRefused(
                address,
                SERVER_NID,
                MessageType.CLUSTER_STATUS.code(),
                new Empty()::writeTo,
                MessageType.CLUSTER_STATUS::readReply,
                SECOND);
    }

    @Test
    void call_silentConnection_isReplacedByANewOne() throws Exception {
        BlockingQueue<RpcRequest> received = new LinkedBlockingQueue<>();
        HostAddress address = serve(received::add);
        CompletableFuture<StatusText> quick =
                client.call(address, SERVER_NID, MessageType.CLUSTER_STATUS, new Empty(), SECOND / 2);
        RpcRequest before = take(received);
        time.advance(SECOND);
        failure(quick, CallTimeoutException.class);

        CompletableFuture<StatusText> slow = status(address);
        take(received);
        CompletableFuture<StatusText> other =
                client.call(address, SERVER_NID, MessageType.CLUSTER_STATUS, new Empty(), SECOND / 2);
        take(received);
        time.advance(SECOND / 2 + RpcClient.SWEEP_NANOS);
        failure(other, CallTimeoutException.class);
        assertThat(failure(slow, ConnectionLostException.class)).hasMessageContaining("nothing came back");

        CompletableFuture<StatusText> next = status(address);
        RpcRequest after = take(received);
        assertThat(after.remoteAddress()).isNotEqualTo(before.remoteAddress());
        after.reply(new StatusText("fresh"));
        assertThat(get(next).json()).isEqualTo("fresh");
    }

    @Test
    void hello_anotherCluster_isRefused() throws Exception {
        HostAddress address = serve(request -> request.reply(new StatusText("never")));
        clientIdentity.joinCluster(new UUID(1, 1));
        RemoteErrorException failure = failure(status(address), RemoteErrorException.class);
        assertThat(failure.code()).isEqualTo(ErrorCode.WRONG_CLUSTER);
        assertThat(failure.maybeExecuted()).isFalse();
    }

    @Test
    void hello_anotherNode_isRefused() throws Exception {
        HostAddress address = serve(request -> request.reply(new StatusText("never")));
        CompletableFuture<StatusText> call =
                client.call(address, 0x4000, MessageType.CLUSTER_STATUS, new Empty(), SECOND);
        RemoteErrorException failure = failure(call, RemoteErrorException.class);
        assertThat(failure.code()).isEqualTo(ErrorCode.WRONG_NODE);
        assertThat(failure).hasMessageContaining("0x4000").hasMessageContaining("0x8000");
    }

    @Test
    void call_requestThatTheRoleMayNotSend_isDeniedAndCountedAndTheConnectionStays() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        HostAddress address = serve(request -> {
            handled.incrementAndGet();
            request.reply(new StatusText("done"));
        });
        CompletableFuture<Integer> call =
                client.call(address, SERVER_NID, MessageType.REPLICATE, out -> {}, ByteBuf::readIntLE, SECOND);
        RemoteErrorException failure = failure(call, RemoteErrorException.class);
        assertThat(failure.code()).isEqualTo(ErrorCode.NOT_PERMITTED);
        assertThat(failure.maybeExecuted()).isFalse();
        assertThat(failure).hasMessageContaining("storage peers").hasMessageContaining("replicate");
        assertThat(handled).hasValue(0);
        assertThat(denials.counts()).containsEntry("role", 1L);
        assertThat(get(status(address)).json()).isEqualTo("done");
    }

    @Test
    void call_typeThatNobodyKnows_isRefused() throws Exception {
        HostAddress address = serve(request -> request.reply(new StatusText("never")));
        CompletableFuture<Integer> call =
                client.call(address, SERVER_NID, 0xffff, out -> {}, ByteBuf::readIntLE, SECOND);
        assertThat(failure(call, RemoteErrorException.class).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(denials.counts()).containsEntry("role", 0L);
    }

    @Test
    void close_callsWait_failThemAndLaterOnes() throws Exception {
        BlockingQueue<RpcRequest> received = new LinkedBlockingQueue<>();
        HostAddress address = serve(received::add);
        CompletableFuture<StatusText> waiting = status(address);
        take(received);
        client.close();
        assertThat(failure(waiting, ConnectionLostException.class)).hasMessageContaining("closed");
        assertThat(failure(status(address), ConnectionLostException.class)).hasMessageContaining("closed");
    }

    private HostAddress serve(RequestHandler handler) throws Exception {
        serverIdentity.joinCluster(CLUSTER);
        serverIdentity.takeNid(SERVER_NID);
        return get(serverTransport.listen(ANY_PORT, server(handler)));
    }

    private RpcServer server(RequestHandler handler) {
        return new RpcServer(serverIdentity, handler, denials);
    }

    private CompletableFuture<StatusText> status(HostAddress address) {
        return client.call(address, SERVER_NID, MessageType.CLUSTER_STATUS, new Empty(), SECOND);
    }

    private static RpcRequest take(BlockingQueue<RpcRequest> received) throws InterruptedException {
        RpcRequest request = received.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(request).as("a request").isNotNull();
        return Objects.requireNonNull(request);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static <X extends Throwable> X failure(CompletableFuture<?> future, Class<X> type) {
        Throwable thrown = catchThrowable(() -> get(future));
        assertThat(thrown).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(type);
        return Objects.requireNonNull(type.cast(thrown.getCause()));
    }
}
