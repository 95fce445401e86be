package dev.granary.net.netty;

import dev.granary.net.Connection;
import dev.granary.net.ConnectionHandler;
import dev.granary.net.Pipes;
import dev.granary.net.Proof;
import dev.granary.net.Transport;
import dev.granary.net.tls.TlsContexts;
import dev.granary.overlay.HostAddress;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frames over TCP. Names are looked up on threads of their own, since that blocks; everything else runs on the I/O
 * threads. {@link #close} ends all threads.
 */
public final class NettyTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(NettyTransport.class);

    private static final int BACKLOG = 1024;
    private static final int RESOLVER_THREADS = 2;
    private static final long RESOLVER_IDLE_SECONDS = 10;
    private static final long CLOSE_LIMIT_SECONDS = 5;
    private static final int KEEP_IDLE_SECONDS = 60;
    private static final int KEEP_INTERVAL_SECONDS = 15;
    private static final int KEEP_PROBES = 4;
    private static final int MIN_RECEIVE_BYTES = 64;
    private static final int INITIAL_RECEIVE_BYTES = 2 << 10;
    private static final int MAX_RECEIVE_BYTES = 256 << 10;

    private final NettyOptions options;
    private final boolean epoll;
    private final MultiThreadIoEventLoopGroup loops;
    private final ExecutorService resolver;
    private final InboundBudget inbound;
    private final ConnectionLimits accepted;
    private final SocketPipes pipes;
    private final IdentityHashMap<EventExecutor, Traffic> traffic = new IdentityHashMap<>();

    /** Everything that is open. Once the group is closed it closes what is still added. */
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    /**
     * Starts the I/O threads.
     *
     * @throws IllegalStateException when epoll is asked for and not available
     */
    public NettyTransport(NettyOptions options) {
        this.options = options;
        this.inbound = new InboundBudget(options.inboundBytes());
        this.accepted = new ConnectionLimits(options.accepting());
        this.pipes = new SocketPipes(options.connectTimeoutMillis());
        this.epoll = choosesEpoll(options.polling());
        IoHandlerFactory factory = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.loops = new MultiThreadIoEventLoopGroup(
                options.ioThreads(), new DefaultThreadFactory("granary-io", true), factory);
        loops.forEach(loop -> traffic.put(loop, new Traffic()));
        ThreadPoolExecutor lookups = new ThreadPoolExecutor(
                RESOLVER_THREADS,
                RESOLVER_THREADS,
                RESOLVER_IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                new DefaultThreadFactory("granary-resolver", true));
        lookups.allowCoreThreadTimeOut(true);
        this.resolver = lookups;
    }

    /** Whether the transport waits by epoll. */
    public boolean usesEpoll() {
        return epoll;
    }

    @Override
    public CompletableFuture<HostAddress> listen(HostAddress bind, Acceptor acceptor) {
        CompletableFuture<HostAddress> bound = new CompletableFuture<>();
        resolve(
                bind,
                bound,
                address -> complete(
                        new ServerBootstrap()
                                .group(loops)
                                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                                .option(ChannelOption.SO_REUSEADDR, true)
                                .handler(new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel listener) {
                                        channels.add(listener);
                                    }
                                })
                                .childHandler(new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        accept(channel, acceptor);
                                    }
                                })
                                .bind(address),
                        bound,
                        channel -> new HostAddress(
                                bind.host(),
                                NettyConnection.addressOf(channel.localAddress())
                                        .port()),
                        "cannot listen on " + bind));
        return bound;
    }

    @Override
    public CompletableFuture<Connection> connect(HostAddress remote, ConnectionHandler handler) {
        CompletableFuture<Connection> connected = new CompletableFuture<>();
        resolve(
                remote,
                connected,
                address -> complete(
                        new Bootstrap()
                                .group(loops)
                                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                                .handler(new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        if (configure(channel)) {
                                            Traffic counted = trafficOf(channel);
                                            ReadGate gate = addFraming(channel, inbound, options, counted, null);
                                            channel.pipeline()
                                                    .addLast(NettyConnection.ofCaller(
                                                            channel, remote, handler, gate, counted));
                                        }
                                    }
                                })
                                .connect(address),
                        connected,
                        channel -> channel.pipeline().get(NettyConnection.class),
                        "cannot connect to " + remote));
        return connected;
    }

    /** Blocking sockets, which this transport closes with itself. */
    @Override
    public Optional<Pipes> pipes() {
        // A pipe speaks no TLS: with TLS all calls go over connections.
        return options.tls() == null ? Optional.of(pipes) : Optional.empty();
    }

    @Override
    public ByteBufAllocator allocator() {
        return options.allocator();
    }

    /** Closes all connections and waits for the I/O threads to end, unless it is called by one of them. */
    @Override
    public void close() {
        boolean onIoThread = false;
        for (var loop : loops) {
            onIoThread |= loop.inEventLoop();
        }
        resolver.shutdownNow();
        pipes.close();
        var channelsClosed = channels.close();
        if (!onIoThread) {
            channelsClosed.awaitUninterruptibly(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        var loopsEnded = loops.shutdownGracefully(0, CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!onIoThread) {
            loopsEnded.awaitUninterruptibly(2 * CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static boolean choosesEpoll(NettyOptions.Polling polling) {
        return switch (polling) {
            case NIO -> false;
            case AUTO -> Epoll.isAvailable();
            case EPOLL -> {
                if (!Epoll.isAvailable()) {
                    throw new IllegalStateException(
                            "transport 'epoll' is not available on this machine, use 'nio' or 'auto'",
                            Epoll.unavailabilityCause());
                }
                yield true;
            }
        };
    }

    /** Sets a new connection up; returns whether it is open. */
    private boolean configure(Channel channel) {
        channels.add(channel);
        if (!channel.isOpen()) {
            // The transport is closed, and closes what is still added.
            return false;
        }
        channel.config().setAllocator(options.allocator());
        channel.config().setConnectTimeoutMillis(options.connectTimeoutMillis());
        channel.config()
                .setWriteBufferWaterMark(new WriteBufferWaterMark(options.writeLowBytes(), options.writeHighBytes()));
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        // Grows up to what a large frame takes: with netty's 64 KiB its parts are put together in a buffer that has to
        // grow.
        channel.config()
                .setRecvByteBufAllocator(
                        new AdaptiveRecvByteBufAllocator(MIN_RECEIVE_BYTES, INITIAL_RECEIVE_BYTES, MAX_RECEIVE_BYTES));
        if (epoll) {
            channel.config().setOption(EpollChannelOption.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
            channel.config().setOption(EpollChannelOption.TCP_KEEPINTVL, KEEP_INTERVAL_SECONDS);
            channel.config().setOption(EpollChannelOption.TCP_KEEPCNT, KEEP_PROBES);
        }
        return true;
    }

    private void accept(Channel channel, Acceptor acceptor) {
        InetAddress address = channel.remoteAddress() instanceof InetSocketAddress remote ? remote.getAddress() : null;
        ConnectionLimits.Refusal refusal = address == null ? null : accepted.enter(address);
        if (refusal != null) {
            accepted.count(refusal);
            LOG.debug("refusing the connection from {}: there are too many ({})", channel.remoteAddress(), refusal);
            var _ = channel.close();
            return;
        }
        if (address != null) {
            var _ = channel.closeFuture().addListener(closed -> accepted.leave(address));
        }
        if (configure(channel)) {
            Traffic counted = trafficOf(channel);
            ReadGate gate = addFraming(channel, inbound, options, counted, accepted);
            channel.pipeline().addLast(new FlowControlHandler());
            channel.pipeline().addLast(NettyConnection.ofAccepted(channel, acceptor, gate, counted));
        }
    }

    private Traffic trafficOf(Channel channel) {
        return Objects.requireNonNull(traffic.get(channel.eventLoop()));
    }

    /** @param accepted the limits of the port that has accepted the connection; null for one that was opened here */
    static ReadGate addFraming(
            Channel channel,
            InboundBudget inbound,
            NettyOptions options,
            Traffic traffic,
            @Nullable ConnectionLimits accepted) {
        ReadGate gate = new ReadGate(channel);
        channel.pipeline().addLast(gate);
        TlsContexts tls = options.tls();
        if (tls != null && accepted != null) {
            tls.accept(channel, () -> accepted.count(ConnectionLimits.Refusal.TLS));
        } else if (tls != null) {
            tls.call(channel, options.accepting().helloMillis());
        }
        channel.pipeline()
                .addLast(new FrameDecoder(
                        inbound,
                        gate,
                        options.stallMillis(),
                        options.accepting().helloBytes(),
                        traffic,
                        accepted));
        return gate;
    }

    /** Returns how many accepted connections are open. Any thread. */
    public int acceptedConnections() {
        return accepted.open();
    }

    /**
     * Returns how many connections were refused, or closed before their callers had greeted, since the start: by
     * reason, {@code all}, {@code address}, {@code silent}, {@code frame} and {@code tls}. Any thread.
     */
    public Map<String, Long> refusedConnections() {
        Map<String, Long> refused = new TreeMap<>();
        for (ConnectionLimits.Refusal refusal : ConnectionLimits.Refusal.values()) {
            refused.put(refusal.name().toLowerCase(Locale.ROOT), accepted.refused(refusal));
        }
        return refused;
    }

    /** Returns how many frames came over all connections since the start, without those of pipes. Any thread. */
    public long receivedFrames() {
        return sum(Traffic::receivedFrames);
    }

    /** Returns how many bytes these frames had. Any thread. */
    public long receivedBytes() {
        return sum(Traffic::receivedBytes);
    }

    /** Returns how many frames went over all connections since the start, without those of pipes. Any thread. */
    public long sentFrames() {
        return sum(Traffic::sentFrames);
    }

    /** Returns how many bytes these frames had. Any thread. */
    public long sentBytes() {
        return sum(Traffic::sentBytes);
    }

    private long sum(ToLongFunction<Traffic> what) {
        return traffic.values().stream().mapToLong(what).sum();
    }

    @Override
    public long inboundBytes() {
        return inbound.bytes();
    }

    @Override
    public long outboundBytes() {
        long bytes = 0;
        for (Channel channel : channels) {
            ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
            bytes += unsent == null ? 0 : unsent.totalPendingWriteBytes();
        }
        return bytes;
    }

    private void resolve(HostAddress address, CompletableFuture<?> result, AddressUser user) {
        try {
            resolver.execute(() -> {
                InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
                if (resolved.isUnresolved()) {
                    result.completeExceptionally(new ConnectException("host '" + address.host() + "' is unknown"));
                    return;
                }
                try {
                    user.use(resolved);
                } catch (RejectedExecutionException | IllegalStateException e) {
                    result.completeExceptionally(closed(e));
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(closed(e));
        }
    }

    private static IllegalStateException closed(RuntimeException cause) {
        return new IllegalStateException("the transport is closed", cause);
    }

    private static <T> void complete(
            ChannelFuture opening, CompletableFuture<T> result, ChannelUser<T> value, String failure) {
        opening.addListener((ChannelFuture done) -> {
            Throwable cause = done.cause();
            CompletableFuture<Proof> handshake = TlsContexts.handshakeOf(done.channel());
            if (cause != null) {
                fail(result, failure + ": " + cause.getMessage(), cause);
            } else if (handshake == null) {
                result.complete(value.of(done.channel()));
            } else {
                var _ = handshake.whenComplete((proof, refusal) -> {
                    if (refusal == null) {
                        result.complete(value.of(done.channel()));
                    } else {
                        fail(result, failure + ": " + TlsContexts.explain(refusal), refusal);
                    }
                });
            }
        });
    }

    private static void fail(CompletableFuture<?> result, String failure, Throwable cause) {
        ConnectException exception = new ConnectException(failure);
        exception.initCause(cause);
        result.completeExceptionally(exception);
    }

    /** Goes on with a resolved address. */
    private interface AddressUser {
        void use(InetSocketAddress address);
    }

    /** Makes a result of an opened channel. */
    private interface ChannelUser<T> {
        T of(Channel channel);
    }
}
