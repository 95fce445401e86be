package dev.granary.net.netty;

import dev.granary.net.CountingAllocator;
import dev.granary.net.Frame;
import dev.granary.net.message.Empty;
import dev.granary.net.message.HandshakeMessages.Hello;
import dev.granary.net.message.Message;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.RangeMessages.Lookup;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * One try of fuzzing: bytes reach a server over a connection, in pieces. Nothing escapes its handlers, each of its
 * answers is a whole frame, and all buffers are given back. {@code e2e/fuzz/run} lets Jazzer make up the bytes.
 */
public final class FrameFuzz {

    private static final int NID = 0x8000;

    /** Say hello first, so that what follows is read as requests. */
    private static final int GREETED = 1;

    /** Put the checksums right: no fuzzer finds one. */
    private static final int CHECKED = 2;

    private FrameFuzz() {}

    /** Loads what it needs, so that the first input of a fuzzer does not have to wait for that. */
    public static void fuzzerInitialize() {
        seeds().forEach(FrameFuzz::fuzzerTestOneInput);
    }

    /** The first byte says what is done before, the second one how large the pieces are. */
    public static void fuzzerTestOneInput(byte[] input) {
        boolean _ = isRead(input);
    }

    /** Tries it, and returns whether the connection is open at the end. */
    static boolean isRead(byte[] input) {
        if (input.length < 2) {
            return false;
        }
        CountingAllocator allocator = new CountingAllocator();
        EmbeddedChannel channel = accepted(allocator);
        if ((input[0] & GREETED) != 0) {
            deliver(channel, allocator, frame(1, new Hello(1, 1, new UUID(0, 0), NodeRole.CLIENT, 0, 0, NID)));
        }
        byte[] stream = Arrays.copyOfRange(input, 2, input.length);
        if ((input[0] & CHECKED) != 0) {
            putChecksums(stream);
        }
        int pieceBytes = 1 + (input[1] & 0xff) * 16;
        for (int from = 0; from < stream.length && channel.isOpen(); from += pieceBytes) {
            deliver(channel, allocator, Arrays.copyOfRange(stream, from, Math.min(stream.length, from + pieceBytes)));
        }
        channel.checkException();
        for (ByteBuf answer = channel.readOutbound(); answer != null; answer = channel.readOutbound()) {
            try {
                Frame.check(answer);
            } finally {
                answer.release();
            }
        }
        boolean open = channel.isOpen();
        channel.finishAndReleaseAll();
        allocator.assertAllReleased();
        return open;
    }

    /** Returns inputs with which a fuzzer begins. */
    public static List<byte[]> seeds() {
        byte[] lookup = frame(MessageType.LOOKUP.code(), new Lookup(0x8000000000000001L));
        byte[] list = frame(MessageType.LIST_PEERS.code(), new Empty());
        byte[] hello = frame(1, new Hello(1, 1, new UUID(0, 0), NodeRole.CLIENT, 0, 0, NID));
        byte[] endless = lookup.clone();
        endless[Frame.LENGTH_OFFSET + 2] = (byte) 0xf0;
        return List.of(
                input(0, hello, lookup),
                input(CHECKED, hello, lookup, list),
                input(GREETED, lookup, list),
                input(GREETED | CHECKED, lookup, lookup, list),
                input(GREETED | CHECKED, hello),
                input(GREETED | CHECKED, endless));
    }

    private static byte[] input(int flags, byte[]... frames) {
        ByteBuf out = Unpooled.buffer().writeByte(flags).writeByte(3);
        for (byte[] frame : frames) {
            out.writeBytes(frame);
        }
        return ByteBufUtil.getBytes(out);
    }

    private static byte[] frame(int type, Message message) {
        ByteBuf frame = Unpooled.buffer();
        Frame.start(frame, Frame.KIND_REQUEST, type, 7);
        message.writeTo(frame);
        Frame.finish(frame);
        return ByteBufUtil.getBytes(frame);
    }

    private static void putChecksums(byte[] stream) {
        ByteBuf bytes = Unpooled.wrappedBuffer(stream);
        while (bytes.readableBytes() >= Frame.HEADER_BYTES) {
            long frameBytes = Frame.LENGTH_BYTES + bytes.getUnsignedIntLE(bytes.readerIndex());
            if (frameBytes < Frame.HEADER_BYTES || frameBytes > bytes.readableBytes()) {
                return;
            }
            Frame.finish(bytes.readSlice((int) frameBytes));
        }
    }

    private static EmbeddedChannel accepted(CountingAllocator allocator) {
        RpcIdentity identity = new RpcIdentity(NodeRole.STORAGE_PEER, 5);
        identity.takeNid(NID);
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.config().setAllocator(allocator.buffers());
        RpcServer server = new RpcServer(identity, request -> {
            for (MessageType<?, ?> type : MessageType.CONTROL) {
                if (type.code() == request.type()) {
                    request.read(type);
                }
            }
            request.reply(new Empty());
        });
        ReadGate gate = NettyTransport.addFraming(
                channel,
                new InboundBudget(Long.MAX_VALUE),
                NettyOptions.defaults(),
                new Traffic(),
                new ConnectionLimits(NettyOptions.Accepting.defaults()));
        channel.pipeline().addLast(NettyConnection.ofAccepted(channel, server, gate, new Traffic()));
        return channel;
    }

    private static void deliver(EmbeddedChannel channel, CountingAllocator allocator, byte[] bytes) {
        channel.writeInbound(allocator.buffers().buffer().writeBytes(bytes));
        channel.runPendingTasks();
    }
}
