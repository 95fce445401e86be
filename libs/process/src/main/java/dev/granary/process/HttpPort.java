package dev.granary.process;

import dev.granary.net.netty.ConnectionLimits;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.overlay.HostAddress;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The HTTP port of a process: {@code /healthz} (200, or 503 with the reason why the process must be restarted),
 * {@code /readyz} (200, or 503 with the reason), {@code /metrics} (Prometheus text or, when asked for, OpenMetrics) and
 * {@code /status} (JSON), and the pages that the process has besides. Only GET and HEAD. Each request has a virtual
 * thread of its own, so that a page that takes long holds up nobody. {@link HttpGate} says who may read what.
 *
 * <p>Before anything is known of a caller, its connections, their time and the size of their requests are limited (ADR
 * 0360).
 */
public final class HttpPort implements AutoCloseable {

    static final int MOST_CONNECTIONS = 256;
    static final int MOST_OF_ADDRESS = 64;
    static final int MOST_LINE_BYTES = 4 << 10;
    static final int MOST_HEADER_BYTES = 16 << 10;

    private static final int PART_BYTES = 4 << 10;
    private static final int STOP_MILLIS = 2_000;

    private final EventLoopGroup loops;
    private final ExecutorService executor;
    private final ChannelGroup channels;
    private final Channel listening;
    private final HttpRefusals refusals;

    private HttpPort(
            EventLoopGroup loops,
            ExecutorService executor,
            ChannelGroup channels,
            Channel listening,
            HttpRefusals refusals) {
        this.loops = loops;
        this.executor = executor;
        this.channels = channels;
        this.listening = listening;
        this.refusals = refusals;
    }

    /**
     * Opens the port to everybody.
     *
     * @param bind where to listen; port 0 takes any free port
     * @throws IOException naming the address when it cannot be listened on
     */
    public static HttpPort open(HostAddress bind, HttpContent content) throws IOException {
        return open(bind, content, Map.of(), HttpGate.OPEN);
    }

    /**
     * Opens the port with more pages than the content has.
     *
     * @param bind where to listen; port 0 takes any free port
     * @param more pages, by the path below which each lies
     * @param gate says who may read them, and whether there is TLS
     * @throws IOException naming the address when it cannot be listened on
     */
    public static HttpPort open(HostAddress bind, HttpContent content, Map<String, HttpPages> more, HttpGate gate)
            throws IOException {
        return open(bind, content, more, gate, HttpConnection.Times.DEFAULT);
    }

    static HttpPort open(
            HostAddress bind,
            HttpContent content,
            Map<String, HttpPages> more,
            HttpGate gate,
            HttpConnection.Times times)
            throws IOException {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("granary-http", true), NioIoHandler.newFactory());
        ExecutorService executor = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("http-", 0).factory());
        ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
        ConnectionLimits limits = new ConnectionLimits(
                NettyOptions.Accepting.defaults().withConnections(MOST_CONNECTIONS, MOST_OF_ADDRESS));
        HttpRefusals refusals = new HttpRefusals();
        HttpRoutes routes = new HttpRoutes(content, more);
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                // Requests are small and rare; what they take is not kept.
                .childOption(ChannelOption.ALLOCATOR, new UnpooledByteBufAllocator(false))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        if (enter(channel, limits, refusals)) {
                            channels.add(channel);
                            HttpConnection connection = new HttpConnection(routes, gate, refusals, executor, times);
                            begin(channel, gate, times, connection, refusals);
                        }
                    }
                })
                .bind(new InetSocketAddress(bind.host(), bind.port()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            stop(loops);
            executor.close();
            throw new IOException(
                    "cannot listen on " + bind + " for HTTP: " + bound.cause().getMessage(), bound.cause());
        }
        return new HttpPort(loops, executor, channels, bound.channel(), refusals);
    }

    /** Closes a connection that is one too many. */
    private static boolean enter(SocketChannel channel, ConnectionLimits limits, HttpRefusals refusals) {
        InetAddress address = channel.remoteAddress().getAddress();
        if (limits.enter(address) != null) {
            refusals.add(HttpRefusals.Reason.CONNECTIONS);
            var _ = channel.close();
            return false;
        }
        channel.closeFuture().addListener(_ -> limits.leave(address));
        return true;
    }

    private static void begin(
            SocketChannel channel,
            HttpGate gate,
            HttpConnection.Times times,
            HttpConnection connection,
            HttpRefusals refusals) {
        TlsContexts tls = gate.tls();
        if (tls != null) {
            tls.accept(
                    channel,
                    ClientAuthentication.OPTIONAL,
                    times.firstMillis(),
                    () -> refusals.add(HttpRefusals.Reason.TLS));
        }
        channel.pipeline()
                .addLast(new HttpServerCodec(new HttpDecoderConfig()
                        .setMaxInitialLineLength(MOST_LINE_BYTES)
                        .setMaxHeaderSize(MOST_HEADER_BYTES)
                        .setMaxChunkSize(PART_BYTES)))
                .addLast(connection);
    }

    /** The port on which it listens. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** What it has refused since it was opened. */
    public HttpRefusals refusals() {
        return refusals;
    }

    /** Stops listening and ends the requests in progress. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        channels.close().awaitUninterruptibly();
        executor.close();
        stop(loops);
    }

    private static void stop(EventLoopGroup loops) {
        loops.shutdownGracefully(0, STOP_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
}
