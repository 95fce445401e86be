package dev.granary.net.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.net.CountingAllocator;
import dev.granary.net.Frame;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server, from the bytes of the socket to the handler, against bytes that no well-meaning caller sends. */
class HostileBytesTest {

    private static final int NID = 0x8000;
    private static final int HELLO_BYTES = 1 << 10;
    private static final NettyOptions OPTIONS =
            NettyOptions.defaults().withAccepting(new NettyOptions.Accepting(2, 1, 300, HELLO_BYTES));

    private final CountingAllocator allocator = new CountingAllocator();
    private final RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
    private final ConnectionLimits limits = new ConnectionLimits(OPTIONS.accepting());
    private final List<Integer> handled = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        allocator.assertAllReleased();
    }

    @Test
    void receive_requestBeforeHello_isRefusedAndClosed() {
        EmbeddedChannel channel = accepted();
        deliver(channel, request(MessageType.LIST_PEERS.code(), 9, new Empty()));
        ErrorReply error = nextError(channel);
        assertThat(error.code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertThat(error.message()).contains("hello must come first");
        assertClosed(channel);
        assertThat(handled).isEmpty();
    }

    @Test
    void receive_largeFrameBeforeHello_isClosedWithoutRoomForIt() {
        EmbeddedChannel channel = accepted();
        ByteBuf begin = allocator.buffers().buffer();
        deliver(channel, begin.writeIntLE(HELLO_BYTES).writeZero(10));
        assertClosed(channel);
        assertThat(limits.refused(ConnectionLimits.Refusal.FRAME)).isEqualTo(1);

        EmbeddedChannel greeted = accepted();
        deliver(greeted, hello());
        releaseOutbound(greeted, 1);
        ByteBuf more = allocator.buffers().buffer();
        deliver(greeted, more.writeIntLE(HELLO_BYTES).writeZero(10));
        assertThat(greeted.isOpen()).isTrue();
        greeted.finishAndReleaseAll();
    }

    @Test
    void accept_nobodyGreets_isClosedAfterAWhile() {
        EmbeddedChannel channel = accepted();
        channel.pipeline().fireChannelActive();
        deliver(channel, hello().writerIndex(20));
        pass(channel, 290);
        assertThat(channel.isOpen()).isTrue();
        pass(channel, 20);
        assertClosed(channel);
        assertThat(limits.refused(ConnectionLimits.Refusal.SILENT)).isEqualTo(1);
    }

    @Test
    void accept_helloInTime_staysOpen() {
        EmbeddedChannel channel = accepted();
        channel.pipeline().fireChannelActive();
        deliver(channel, hello());
        releaseOutbound(channel, 1);
        pass(channel, 10_000);
        assertThat(channel.isOpen()).isTrue();
        assertThat(limits.refused(ConnectionLimits.Refusal.SILENT)).isZero();
        channel.finishAndReleaseAll();
    }

    private static void pass(EmbeddedChannel channel, long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
        channel.runPendingTasks();
    }

    @Test
    void receive_helloOfAnotherVersion_isRefusedAndClosed() {
        EmbeddedChannel channel = accepted();
        deliver(channel, request(1, 0, new Hello(2, 3, new UUID(0, 0), NodeRole.CLIENT, 0, 0, 0)));
        assertThat(nextError(channel).code()).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
        assertClosed(channel);
    }

    @Test
    void receive_malformedHelloAndSecondHello_areRefusedAndClosed() {
        EmbeddedChannel first = accepted();
        deliver(first, request(1, 0, new Empty()));
        assertThat(nextError(first).code()).isEqualTo(ErrorCode.BAD_REQUEST);
        assertClosed(first);

        EmbeddedChannel second = accepted();
        deliver(second, hello());
        deliver(second, hello());
        releaseOutbound(second, 1);
        assertThat(nextError(second).message()).contains("second hello");
        assertClosed(second);
    }

    @Test
    void receive_damagedFrames_closeTheConnection() {
        for (int damagedByte = 4; damagedByte < Frame.HEADER_BYTES + 4; damagedByte++) {
            EmbeddedChannel channel = accepted();
            deliver(channel, hello());
            releaseOutbound(channel, 1);
            ByteBuf frame = request(MessageType.LOOKUP.code(), 1, new dev.granary.net.message.RangeMessages.Lookup(7));
            frame.setByte(damagedByte, frame.getByte(damagedByte) ^ 0x10);
            deliver(channel, frame);
            assertClosed(channel);
            assertThat(handled).as("damage at byte " + damagedByte).isEmpty();
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13})
    void receive_randomBytesAndMutatedFrames_neverEscapesOrLeaks(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 150; round++) {
            EmbeddedChannel channel = accepted();
            if (random.nextBoolean()) {
                deliver(channel, hello());
            }
            for (int i = 0; i < 10 && channel.isOpen(); i++) {
                deliver(channel, hostile(random));
                channel.runPendingTasks();
            }
            channel.checkException();
            channel.finishAndReleaseAll();
        }
    }

    private ByteBuf hostile(SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            if (noise.length > 4 && random.nextBoolean()) {
                noise[2] = 0;
                noise[3] = 0;
            }
            return allocator.buffers().buffer().writeBytes(noise);
        }
        ByteBuf frame = request(random.nextInt(40), random.nextLong(), out -> {
            for (int i = random.nextInt(60); i > 0; i--) {
                out.writeByte(random.nextInt(256));
            }
        });
        switch (random.nextInt(3)) {
            case 0 -> frame.setByte(random.nextInt(frame.writerIndex()), random.nextInt(256));
            case 1 -> frame.writerIndex(random.nextInt(frame.writerIndex()));
            default -> {
                // A valid frame with a payload that means nothing.
            }
        }
        return frame;
    }

    private EmbeddedChannel accepted() {
        identity.takeNid(NID);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setAllocator(allocator.buffers());
        RpcServer server = new RpcServer(identity, request -> {
            handled.add(request.type());
            for (MessageType<?, ?> type : MessageType.CONTROL) {
                if (type.code() == request.type()) {
                    request.read(type);
                }
            }
            request.reply(new Empty());
        });
        ReadGate gate =
                NettyTransport.addFraming(channel, new InboundBudget(Long.MAX_VALUE), OPTIONS, new Traffic(), limits);
        channel.pipeline().addLast(NettyConnection.ofAccepted(channel, server, gate, new Traffic()));
        return channel;
    }

    private static void deliver(EmbeddedChannel channel, ByteBuf bytes) {
        channel.writeInbound(bytes);
        channel.runPendingTasks();
    }

    private ByteBuf hello() {
        return request(1, 0, new Hello(1, 1, new UUID(0, 0), NodeRole.CLIENT, 0, 0, NID));
    }

    private ByteBuf request(int type, long correlation, Message message) {
        return request(type, correlation, message::writeTo);
    }

    private ByteBuf request(int type, long correlation, Consumer<ByteBuf> payload) {
        ByteBuf frame = allocator.buffers().buffer();
        Frame.start(frame, Frame.KIND_REQUEST, type, correlation);
        payload.accept(frame);
        Frame.finish(frame);
        return frame;
    }

    private static ErrorReply nextError(EmbeddedChannel channel) {
        ByteBuf frame = channel.readOutbound();
        try {
            Frame.check(frame);
            assertThat(Frame.kind(frame)).isEqualTo(Frame.KIND_ERROR);
            return ErrorReply.read(frame.skipBytes(Frame.HEADER_BYTES));
        } finally {
            frame.release();
        }
    }

    private static void releaseOutbound(EmbeddedChannel channel, int frames) {
        for (int i = 0; i < frames; i++) {
            channel.<ByteBuf>readOutbound().release();
        }
    }

    private static void assertClosed(EmbeddedChannel channel) {
        assertThat(channel.isOpen()).isFalse();
        channel.finishAndReleaseAll();
    }
}
