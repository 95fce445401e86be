package dev.granary.storage.door.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.access.Access;
import dev.granary.env.SystemClock;
import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.overlay.HostAddress;
import dev.granary.resp.Protocol;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import dev.granary.resp.RequestDecoder;
import dev.granary.resp.RequestLimits;
import dev.granary.storage.door.NoLink;
import dev.granary.storage.door.command.DoorTable;
import dev.granary.storage.door.command.LocalCommands;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.door.state.DoorLimits;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.door.state.KeyedFigures;
import dev.granary.storage.door.state.RedirectMode;
import dev.granary.storage.keyed.GroupCall;
import dev.granary.storage.keyed.GroupCall.WatchedKey;
import dev.granary.storage.keyed.GroupReply;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.keyed.SlotOwners;
import dev.granary.storage.keyed.hot.HotKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A connection whose calls a test answers, one by one, the newest first. */
final class ScriptedCaller implements Caller, SlotOwners {

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    private final LocalCommands local = new LocalCommands();
    private final DoorState door = new DoorState(
            new DoorConfig(
                    new HostAddress("127.0.0.1", 0),
                    null,
                    "127.0.0.1",
                    DoorLimits.defaults(),
                    RedirectMode.NEVER,
                    Polling.AUTO,
                    1,
                    null),
            new SystemClock(),
            this,
            () -> new KeyedFigures(0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            KeyedLimits.none(),
            new HotKeys(new SystemClock()),
            DoorTable.of(local, name -> false),
            new Access(null, new SecureRandom()));
    private final Routes routes = new Routes(door, local, Map.of());
    private final Client client =
            new Client(1, "client:1", "client", "door:1", 0, door.access().accounts(), NoLink.INSTANCE);
    private final ByteBuf out = Unpooled.buffer();
    private final ReplyWriter reply = new ReplyWriter(out, Protocol.RESP2);
    private final Deque<Call> waiting = new ArrayDeque<>();
    private String lastRequest = "";
    private int lastGroup;
    private int calls;
    private boolean isDone;

    private record Call(GroupCall call, Consumer<GroupReply> then) {}

    static GroupReply done(String replies) {
        return GroupReply.done(Unpooled.copiedBuffer(replies, StandardCharsets.US_ASCII));
    }

    /** Begins a request that is composed of calls. */
    void compose(String... words) {
        try (RequestDecoder decoder = new RequestDecoder(RequestLimits.DEFAULT, allocator)) {
            decoder.authenticated(true);
            decoder.add(Requests.of(allocator, words));
            assertThat(decoder.next()).isEqualTo(RequestDecoder.Step.REQUEST);
            Request request = decoder.request();
            Objects.requireNonNull(routes.find(request)).compose(this, request);
        }
    }

    int waiting() {
        return waiting.size();
    }

    int calls() {
        return calls;
    }

    String lastRequest() {
        return lastRequest;
    }

    int lastGroup() {
        return lastGroup;
    }

    /** Answers the newest call. */
    void answerLast(Function<GroupCall, GroupReply> answer) {
        Call last = waiting.removeLast();
        last.then.accept(answer.apply(last.call));
    }

    /** Returns the reply to the client, which is complete. */
    String written() {
        assertThat(isDone).isTrue();
        isDone = false;
        String text = out.toString(StandardCharsets.US_ASCII);
        out.clear();
        return text;
    }

    void assertNothingIsLeft() {
        assertThat(waiting).isEmpty();
        assertThat(allocator.metric().usedHeapMemory() + allocator.metric().usedDirectMemory())
                .isZero();
    }

    @Override
    public DoorState door() {
        return door;
    }

    @Override
    public Client client() {
        return client;
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public ReplyWriter reply() {
        return reply;
    }

    @Override
    public void call(int group, List<WatchedKey> watched, int count, ByteBuf requests, Consumer<GroupReply> then) {
        calls++;
        lastGroup = group;
        lastRequest = requests.toString(StandardCharsets.US_ASCII);
        requests.release();
        waiting.addLast(new Call(new GroupCall(group, Protocol.RESP2, watched, count, Unpooled.EMPTY_BUFFER), then));
    }

    @Override
    public <T> void await(CompletableFuture<T> future, BiConsumer<T, @Nullable Throwable> then) {
        throw new UnsupportedOperationException("commands on keys wait for calls only");
    }

    @Override
    public boolean isGone() {
        return false;
    }

    @Override
    public void done() {
        assertThat(isDone).isFalse();
        isDone = true;
    }

    @Override
    public int nid() {
        return 0x8000;
    }

    @Override
    public int owner(int group) {
        return 0x8000;
    }

    @Override
    public List<SlotOwners.Door> doors() {
        return List.of();
    }
}
