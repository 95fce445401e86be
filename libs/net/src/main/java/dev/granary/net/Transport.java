package dev.granary.net;

import dev.granary.overlay.HostAddress;
import io.netty.buffer.ByteBufAllocator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Carries whole frames between nodes over ordered connections. Implementations: Netty in processes, a simulated network
 * in the simulator. Thread-safe. A transport that is closed closes all its connections and listeners.
 */
public interface Transport extends AutoCloseable {

    /**
     * After how long an attempt to open a connection that nobody answers has failed. Less than the second after which a
     * first packet that was lost is sent again, and than the shortest lease: the machine of the address may be gone and
     * come back, and nothing at that address would say so.
     */
    long CONNECT_TIMEOUT_NANOS = 500_000_000;

    /**
     * Starts to accept connections.
     *
     * @param bind where to listen; port 0 takes any free port
     * @param acceptor makes the handler for each accepted connection
     * @return the address on which it listens, or the failure
     */
    CompletableFuture<HostAddress> listen(HostAddress bind, Acceptor acceptor);

    /**
     * Opens a connection. The future fails when the remote side cannot be reached; it fails
     * after {@link #CONNECT_TIMEOUT_NANOS} when nobody answers.
     */
    CompletableFuture<Connection> connect(HostAddress remote, ConnectionHandler handler);

    /**
     * What opens pipes to the same addresses, for callers that wait; empty when this transport has none. Everything
     * that is possible with a pipe is possible with a connection as well.
     */
    default Optional<Pipes> pipes() {
        return Optional.empty();
    }

    /** Where buffers for {@link Connection#send} should come from when there is no connection yet. */
    ByteBufAllocator allocator();

    /** Bytes of frames that are being received, as far as this transport counts them. Any thread. */
    default long inboundBytes() {
        return 0;
    }

    /** Bytes of frames that were written and are not sent, as far as this transport counts them. Any thread. */
    default long outboundBytes() {
        return 0;
    }

    @Override
    void close();

    /** Makes the handler of an accepted connection. */
    @FunctionalInterface
    interface Acceptor {
        ConnectionHandler accept(Connection connection);
    }
}
