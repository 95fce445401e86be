package dev.granary.simulation.planted;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Frame;
import dev.granary.net.Transport;
import dev.granary.net.message.Message;
import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A process's network through which a {@link Tamperer} may drop, change or add frames. For planted bugs. */
public final class TamperedNetwork implements Transport {

    /** Sees every frame of a process. */
    public interface Tamperer {

        /** Called when a frame has arrived; false hides it from the process. The buffer is valid during the call. */
        default boolean arrives(Link link, ByteBuf frame) {
            return true;
        }

        /** Called when a frame is about to leave; false drops it. The buffer is valid during the call. */
        default boolean leaves(Link link, ByteBuf frame) {
            return true;
        }
    }

    /** One connection, as the process sees it. */
    public interface Link {

        /** Delivers a frame to the process as if it had arrived. */
        void deliver(ByteBuf frame);

        /** Sends a frame as if the process had sent it. */
        void send(ByteBuf frame);

        /** Returns the machine at the other end. */
        String host();

        /** Whether the connection is open as far as the process knows. */
        boolean isOpen();
    }

    private final Transport transport;
    private final Tamperer tamperer;

    /** @param tamperer sees every frame of the process, called by the process's thread */
    public TamperedNetwork(Transport transport, Tamperer tamperer) {
        this.transport = transport;
        this.tamperer = tamperer;
    }

    /** Returns a whole frame with a message. */
    public static ByteBuf frame(int kind, int type, long correlation, Message message) {
        return frame(kind, type, correlation, message::writeTo);
    }

    /** Returns a frame whose payload is no message. */
    public static ByteBuf frame(int kind, int type, long correlation, Consumer<ByteBuf> payload) {
        ByteBuf frame = Unpooled.buffer();
        Frame.start(frame, kind, type, correlation);
        payload.accept(frame);
        Frame.finish(frame);
        return frame;
    }

    /** Whether a frame is of this kind and type. */
    public static boolean is(ByteBuf frame, int kind, int type) {
        return Frame.kind(frame) == kind && Frame.type(frame) == type;
    }

    /** Returns the correlation, which a request and its answer have in common. */
    public static long correlation(ByteBuf frame) {
        return frame.getLongLE(frame.readerIndex() + Frame.CORRELATION_OFFSET);
    }

    /** Returns the bytes behind the header, in the same memory. */
    public static ByteBuf payload(ByteBuf frame) {
        return frame.slice(frame.readerIndex() + Frame.HEADER_BYTES, frame.readableBytes() - Frame.HEADER_BYTES);
    }

    @Override
    public CompletableFuture<HostAddress> listen(HostAddress bind, Acceptor acceptor) {
        return transport.listen(bind, connection -> {
            Seen seen = new Seen(connection);
            seen.handler = acceptor.accept(seen);
            return seen;
        });
    }

    @Override
    public CompletableFuture<Connection> connect(HostAddress remote, ConnectionHandler handler) {
        Opening opening = new Opening(handler);
        return transport.connect(remote, opening).thenApply(opening::around);
    }

    @Override
    public ByteBufAllocator allocator() {
        return transport.allocator();
    }

    @Override
    public void close() {
        transport.close();
    }

    /** The handler of a connection that is being opened; it gets the same connection as the caller. */
    private final class Opening implements ConnectionHandler {
        private final ConnectionHandler handler;
        private @Nullable Seen seen;

        Opening(ConnectionHandler handler) {
            this.handler = handler;
        }

        Seen around(Connection connection) {
            Seen known = seen;
            if (known == null) {
                known = new Seen(connection);
                known.handler = handler;
                seen = known;
            }
            return known;
        }

        @Override
        public void onFrame(Connection connection, ByteBuf frame) {
            around(connection).onFrame(connection, frame);
        }

        @Override
        public void onClosed(Connection connection, @Nullable Throwable cause) {
            around(connection).onClosed(connection, cause);
        }
    }

    /** A connection as the process sees it, and as its handler sees it. */
    private final class Seen implements Connection, ConnectionHandler {
        private final Connection connection;
        private @Nullable ConnectionHandler handler;
        private boolean closed;

        Seen(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void onFrame(Connection from, ByteBuf frame) {
            if (tamperer.arrives(new Outside(), frame)) {
                handOver(frame);
            }
        }

        private void handOver(ByteBuf frame) {
            if (handler != null && !closed) {
                handler.onFrame(this, frame);
            }
        }

        @Override
        public void onClosed(Connection from, @Nullable Throwable cause) {
            closed = true;
            if (handler != null) {
                handler.onClosed(this, cause);
            }
        }

        @Override
        public void send(ByteBuf frame) {
            if (tamperer.leaves(new Outside(), frame)) {
                connection.send(frame);
            } else {
                frame.release();
            }
        }

        @Override
        public boolean isWritable() {
            return connection.isWritable();
        }

        @Override
        public boolean isOpen() {
            return connection.isOpen();
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

        /** Sends frames of the tamperer, which do not pass the tamperer again. */
        private final class Outside implements Link {

            @Override
            public void deliver(ByteBuf frame) {
                handOver(frame);
                frame.release();
            }

            @Override
            public void send(ByteBuf frame) {
                connection.send(frame);
            }

            @Override
            public String host() {
                return remoteAddress().host();
            }

            @Override
            public boolean isOpen() {
                return !closed;
            }
        }
    }
}
