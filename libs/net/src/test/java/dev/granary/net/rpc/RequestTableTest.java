package dev.granary.net.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.net.CountingAllocator;
import dev.granary.net.ManualTime;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests over real connections to a node with a table. */
class RequestTableTest {

    private static final long LIMIT_NANOS = 1_000_000_000;
    private static final int LIMIT_SECONDS = 30;

    private final CountingAllocator allocator = new CountingAllocator();
    private final NettyTransport transport =
            new NettyTransport(NettyOptions.defaults().withIoThreads(1).withAllocator(allocator.buffers()));
    private final ManualTime time = new ManualTime();
    private final RpcClient client = new RpcClient(transport, time, time, RpcIdentity.client());
    private final RequestTable table = new RequestTable("a test's node");

    @AfterEach
    void nothingIsLeft() {
        client.close();
        transport.close();
        allocator.assertAllReleased();
    }

    private <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private HostAddress listen() throws Exception {
        return get(transport.listen(
                new HostAddress("127.0.0.1", 0), new RpcServer(new RpcIdentity(NodeRole.STORAGE_PEER, 11), table)));
    }

    private CompletableFuture<StatusText> askStatus(HostAddress to) {
        return client.call(to, 0, MessageType.CLUSTER_STATUS, new Empty(), LIMIT_NANOS);
    }

    private ErrorReply refusal(CompletableFuture<?> call) throws Exception {
        Throwable failure = get(call.handle((reply, thrown) -> thrown));
        assertThat(failure).isInstanceOf(RemoteErrorException.class);
        return ((RemoteErrorException) failure).reply();
    }

    @Test
    void handle_typesOfTwoParts_eachReachesItsPart() throws Exception {
        List<Long> lookups = new ArrayList<>();
        table.add(MessageType.CLUSTER_STATUS, (request, empty) -> request.reply(new StatusText("status")));
        table.add(MessageType.LOOKUP, (request, lookup) -> {
            lookups.add(lookup.cid());
            request.fail(ErrorCode.NOT_FOUND, "no such chunk");
        });
        HostAddress node = listen();
        assertThat(get(askStatus(node)).json()).isEqualTo("status");
        assertThat(refusal(client.call(node, 0, MessageType.LOOKUP, new Lookup(5), LIMIT_NANOS))
                        .code())
                .isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(lookups).containsExactly(5L);
    }

    @Test
    void handle_typeWithoutAPart_isRefusedForGood() throws Exception {
        ErrorReply refusal = refusal(askStatus(listen()));
        assertThat(refusal.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(refusal.message()).contains("a test's node", "cluster-status");
    }

    @Test
    void addTask_requestCame_isHandledByATask() throws Exception {
        LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        table.addTask(
                MessageType.CLUSTER_STATUS, tasks::add, (request, empty) -> request.reply(new StatusText("status")));
        CompletableFuture<StatusText> asked = askStatus(listen());
        Runnable task = tasks.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(task).isNotNull();
        assertThat(asked).isNotDone();
        task.run();
        assertThat(get(asked).json()).isEqualTo("status");
    }

    @Test
    void behind_twoInFront_theOuterOneDecidesFirst() throws Exception {
        List<String> passed = new ArrayList<>();
        RequestTable outer = table.behind(handler -> request -> {
            passed.add("outer");
            handler.handle(request);
        });
        RequestTable inner = outer.behind(handler -> request -> {
            passed.add("inner");
            request.fail(ErrorCode.SHUTTING_DOWN, "no");
        });
        inner.add(MessageType.CLUSTER_STATUS, (request, empty) -> request.reply(new StatusText("status")));
        assertThat(refusal(askStatus(listen())).code()).isEqualTo(ErrorCode.SHUTTING_DOWN);
        assertThat(passed).containsExactly("outer", "inner");
    }

    @Test
    void add_typeThatHasAHandler_isRefused() {
        table.add(MessageType.GET, request -> {});
        assertThatThrownBy(() -> table.behind(handler -> handler).add(MessageType.GET, request -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("get");
    }
}
