package dev.granary.net.netty;

import dev.granary.net.Transport;
import dev.granary.net.tls.TlsContexts;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link NettyTransport} works. Immutable.
 *
 * @param polling how it waits for the network
 * @param ioThreads number of I/O threads, at least 1
 * @param connectTimeoutMillis the longest time that opening a connection takes
 * @param writeLowBytes unsent bytes below which a connection is writable again
 * @param writeHighBytes unsent bytes above which a connection is not writable
 * @param allocator of all buffers
 * @param inboundBytes how much the large frames may take that are being received, all connections together
 * @param stallMillis a connection is closed when a large frame is incomplete and no byte of it has come for this long
 * @param accepting what each port accepts
 * @param tls of all connections, which the transport does not close; null for none
 */
public record NettyOptions(
        Polling polling,
        int ioThreads,
        int connectTimeoutMillis,
        int writeLowBytes,
        int writeHighBytes,
        ByteBufAllocator allocator,
        long inboundBytes,
        int stallMillis,
        Accepting accepting,
        @Nullable TlsContexts tls) {

    private static final int MAX_DEFAULT_THREADS = 8;

    private static final int STALL_MILLIS = 10_000;

    /** How the transport waits for the network. */
    public enum Polling {
        /** Epoll where it is available, otherwise NIO. */
        AUTO,
        /** Linux only. */
        EPOLL,
        /** Everywhere. */
        NIO
    }

    public NettyOptions {
        if (ioThreads < 1) {
            throw new IllegalArgumentException("a transport needs at least 1 I/O thread, not " + ioThreads);
        }
        if (connectTimeoutMillis < 1) {
            throw new IllegalArgumentException("a connect timeout of " + connectTimeoutMillis + " ms is too short");
        }
        if (writeLowBytes < 0 || writeHighBytes < writeLowBytes) {
            throw new IllegalArgumentException(
                    "write marks of " + writeLowBytes + " and " + writeHighBytes + " bytes are out of order");
        }
    }

    /** Epoll where possible, as many threads as processors up to 8, pooled buffers. */
    public static NettyOptions defaults() {
        int threads = Math.min(MAX_DEFAULT_THREADS, Runtime.getRuntime().availableProcessors());
        return new NettyOptions(
                Polling.AUTO,
                threads,
                (int) TimeUnit.NANOSECONDS.toMillis(Transport.CONNECT_TIMEOUT_NANOS),
                256 << 10,
                1 << 20,
                PooledByteBufAllocator.DEFAULT,
                Long.MAX_VALUE,
                STALL_MILLIS,
                Accepting.defaults(),
                null);
    }

    public NettyOptions withPolling(Polling other) {
        return new NettyOptions(
                other,
                ioThreads,
                connectTimeoutMillis,
                writeLowBytes,
                writeHighBytes,
                allocator,
                inboundBytes,
                stallMillis,
                accepting,
                tls);
    }

    public NettyOptions withIoThreads(int threads) {
        return new NettyOptions(
                polling,
                threads,
                connectTimeoutMillis,
                writeLowBytes,
                writeHighBytes,
                allocator,
                inboundBytes,
                stallMillis,
                accepting,
                tls);
    }

    public NettyOptions withAllocator(ByteBufAllocator other) {
        return new NettyOptions(
                polling,
                ioThreads,
                connectTimeoutMillis,
                writeLowBytes,
                writeHighBytes,
                other,
                inboundBytes,
                stallMillis,
                accepting,
                tls);
    }

    /** The same with another bound of large frames that are being received. */
    public NettyOptions withInbound(long maxBytes, int newStallMillis) {
        return new NettyOptions(
                polling,
                ioThreads,
                connectTimeoutMillis,
                writeLowBytes,
                writeHighBytes,
                allocator,
                maxBytes,
                newStallMillis,
                accepting,
                tls);
    }

    /** The same with another bound of large frames that are being received. */
    public NettyOptions withInboundBytes(long maxBytes) {
        return withInbound(maxBytes, stallMillis);
    }

    /** The same with other limits of what each port accepts. */
    public NettyOptions withAccepting(Accepting other) {
        return new NettyOptions(
                polling,
                ioThreads,
                connectTimeoutMillis,
                writeLowBytes,
                writeHighBytes,
                allocator,
                inboundBytes,
                stallMillis,
                other,
                tls);
    }

    /** The same with TLS on all connections. */
    public NettyOptions withTls(@Nullable TlsContexts other) {
        return new NettyOptions(
                polling,
                ioThreads,
                connectTimeoutMillis,
                writeLowBytes,
                writeHighBytes,
                allocator,
                inboundBytes,
                stallMillis,
                accepting,
                other);
    }

    /**
     * What a port accepts.
     *
     * @param connections that are open at once
     * @param connectionsOfAddress that are open at once of one address
     * @param helloMillis a connection is closed when its caller has not greeted after this time
     * @param helloBytes the largest frame before the hello, for connections that are opened here as well
     */
    public record Accepting(int connections, int connectionsOfAddress, int helloMillis, int helloBytes) {

        public Accepting {
            if (connections < 1 || connectionsOfAddress < 1 || helloMillis < 1) {
                throw new IllegalArgumentException("a port that accepts " + connections + " connections, "
                        + connectionsOfAddress + " of an address, for " + helloMillis + " ms accepts nobody");
            }
        }

        /** 16,384 connections, 4,096 of one address; five seconds and 4 KiB for the hello, which has 100 B at most. */
        public static Accepting defaults() {
            return new Accepting(16_384, 4_096, 5_000, 4 << 10);
        }

        /** The same with other numbers of connections. */
        public Accepting withConnections(int all, int ofAddress) {
            return new Accepting(all, ofAddress, helloMillis, helloBytes);
        }
    }
}
