package dev.granary.net.netty;

import dev.granary.net.Pipe;
import dev.granary.net.Pipes;
import dev.granary.overlay.HostAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens blocking sockets on threads of its own, since looking a name up and connecting both wait. The threads end when
 * they have nothing to do. {@link #close} closes all pipes.
 */
final class SocketPipes implements Pipes, AutoCloseable {

    private static final int THREADS = 2;
    private static final long IDLE_SECONDS = 10;

    private final int connectTimeoutMillis;
    private final ThreadPoolExecutor threads;
    private final Set<Pipe> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    SocketPipes(int connectTimeoutMillis) {
        this.connectTimeoutMillis = connectTimeoutMillis;
        this.threads = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("granary-pipes", true));
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public CompletableFuture<Pipe> open(HostAddress remote) {
        CompletableFuture<Pipe> opened = new CompletableFuture<>();
        try {
            threads.execute(() -> {
                try {
                    opened.complete(connect(remote));
                } catch (IOException e) {
                    opened.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            opened.completeExceptionally(closed(e));
        }
        return opened;
    }

    private Pipe connect(HostAddress remote) throws IOException {
        InetSocketAddress address = new InetSocketAddress(remote.host(), remote.port());
        if (address.isUnresolved()) {
            throw new ConnectException("host '" + remote.host() + "' is unknown");
        }
        SocketChannel channel = SocketChannel.open();
        boolean connected = false;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.socket().connect(address, connectTimeoutMillis);
            connected = true;
        } finally {
            if (!connected) {
                channel.close();
            }
        }
        SocketPipe pipe = new SocketPipe(channel);
        open.add(pipe);
        if (closed) {
            pipe.close();
            throw closed(null);
        }
        return pipe;
    }

    private static IOException closed(@Nullable Throwable cause) {
        return new IOException("the transport is closed", cause);
    }

    @Override
    public void close() {
        closed = true;
        threads.shutdownNow();
        open.forEach(Pipe::close);
    }

    /** A blocking socket. */
    private final class SocketPipe implements Pipe {

        private final SocketChannel channel;

        SocketPipe(SocketChannel channel) {
            this.channel = channel;
        }

        @Override
        public void write(ByteBuffer bytes) throws IOException {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            return channel.read(into);
        }

        @Override
        public void close() {
            open.remove(this);
            try {
                channel.close();
            } catch (IOException e) {
                // The descriptor is gone all the same.
            }
        }

        @Override
        public String toString() {
            return channel.toString();
        }
    }
}
