package dev.granary.simulation;

import dev.granary.env.Environment;
import dev.granary.env.Scheduler;
import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.Blob;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RaftMessage;
import dev.granary.overlay.HostAddress;
import dev.granary.raft.ForgedReplies;
import dev.granary.raft.ForgedReplies.Signature;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A super-peer's network by which it takes every command for replicated that it has only begun to replicate: each follower
 * seems to have appended it at once, and gets it later, unless the leader has died by then.
 */
final class HastyLeader implements Transport {

    private static final long LATER_NANOS = 100_000_000;

    /** So long after its start a process does it right, so that clusters begin and mend. */
    private static final long PATIENT_NANOS = 3_000_000_000L;

    private final Transport transport;
    private final Scheduler scheduler;

    /** What was accepted from other super-peers, by their hosts. */
    private final TreeMap<String, Follower> followers = new TreeMap<>();

    private boolean hasty;

    private record Follower(Connection connection, ConnectionHandler handler, Signature signature) {}

    HastyLeader(Environment world, Transport transport) {
        this.transport = transport;
        this.scheduler = world.scheduler();
        scheduler.schedule(PATIENT_NANOS, () -> hasty = true);
    }

    @Override
    public CompletableFuture<HostAddress> listen(HostAddress bind, Acceptor acceptor) {
        return transport.listen(bind, connection -> new Accepted(acceptor.accept(connection)));
    }

    @Override
    public CompletableFuture<Connection> connect(HostAddress remote, ConnectionHandler handler) {
        // The handler tells connections apart by identity, so it gets to see the same one as the caller.
        Opened opened = new Opened(handler);
        return transport.connect(remote, opened).thenApply(opened::around);
    }

    @Override
    public ByteBufAllocator allocator() {
        return transport.allocator();
    }

    @Override
    public void close() {
        transport.close();
    }

    /** The Raft message in a frame, or null when it is another frame. */
    private static @Nullable RaftMessage raftMessage(ByteBuf frame) {
        int start = frame.readerIndex();
        boolean isRaft = frame.getUnsignedByte(start + Frame.KIND_OFFSET) == Frame.KIND_REQUEST
                && frame.getUnsignedShortLE(start + Frame.TYPE_OFFSET) == MessageType.RAFT.code();
        return isRaft
                ? MessageType.RAFT.readRequest(
                        frame.slice(start + Frame.HEADER_BYTES, frame.readableBytes() - Frame.HEADER_BYTES))
                : null;
    }

    /** Behind version, kind and group: docs/formats/raft.md. */
    private static long senderOf(RaftMessage message) {
        return Unpooled.wrappedBuffer(message.message().bytes()).getLongLE(1 + 1 + Long.BYTES);
    }

    private void pretend(String host, RaftMessage append) {
        Follower follower = followers.get(host);
        if (follower == null) {
            return;
        }
        ForgedReplies.successOf(append.message().bytes(), follower.signature)
                .ifPresent(forged -> scheduler.execute(() -> {
                    ByteBuf frame = Unpooled.buffer();
                    Frame.start(frame, Frame.KIND_REQUEST, MessageType.RAFT.code(), Long.MAX_VALUE);
                    new RaftMessage(append.group(), senderOf(append), new Blob(forged)).writeTo(frame);
                    Frame.finish(frame);
                    follower.handler.onFrame(follower.connection, frame);
                    frame.release();
                }));
    }

    private final class Accepted implements ConnectionHandler {
        private final ConnectionHandler handler;

        Accepted(ConnectionHandler handler) {
            this.handler = handler;
        }

        @Override
        public void onFrame(Connection connection, ByteBuf frame) {
            RaftMessage message = raftMessage(frame);
            if (message != null) {
                followers.put(
                        connection.remoteAddress().host(),
                        new Follower(
                                connection,
                                handler,
                                ForgedReplies.signatureOf(message.message().bytes())));
            }
            handler.onFrame(connection, frame);
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {
            followers.values().removeIf(follower -> follower.connection == connection);
            handler.onClosed(connection, cause);
        }
    }

    private final class Opened implements ConnectionHandler {
        private final ConnectionHandler handler;
        private @Nullable Delaying known;

        Opened(ConnectionHandler handler) {
            this.handler = handler;
        }

        Connection around(Connection connection) {
            if (known == null) {
                known = new Delaying(connection);
            }
            return known;
        }

        @Override
        public void onFrame(Connection connection, ByteBuf frame) {
            handler.onFrame(around(connection), frame);
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {
            handler.onClosed(around(connection), cause);
        }
    }

    private final class Delaying implements Connection {
        private final Connection connection;

        Delaying(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void send(ByteBuf frame) {
            RaftMessage message = raftMessage(frame);
            if (hasty
                    && message != null
                    && ForgedReplies.isAppend(message.message().bytes())) {
                pretend(remoteAddress().host(), message);
                scheduler.schedule(LATER_NANOS, () -> connection.send(frame));
            } else {
                connection.send(frame);
            }
        }

        @Override
        public boolean isWritable() {
            return connection.isWritable();
        }

        @Override
        public ByteBufAllocator allocator() {
            return connection.allocator();
        }

        @Override
        public HostAddress remoteAddress() {
            return connection.remoteAddress();
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
