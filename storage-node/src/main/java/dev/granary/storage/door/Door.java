package dev.granary.storage.door;

import dev.granary.access.Access;
import dev.granary.access.Account;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.net.tls.TlsContexts;
import dev.granary.net.tls.TlsSettings.ClientAuthentication;
import dev.granary.overlay.HostAddress;
import dev.granary.storage.door.chunks.ChunkCommands;
import dev.granary.storage.door.chunks.ChunkRoom;
import dev.granary.storage.door.command.AclUserCommands;
import dev.granary.storage.door.command.DoorTable;
import dev.granary.storage.door.command.LocalCommands;
import dev.granary.storage.door.keys.Routes;
import dev.granary.storage.door.state.Client;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.door.state.DoorState;
import dev.granary.storage.door.state.KeyedFigures;
import dev.granary.storage.keyed.KeyedCalls;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.keyed.SlotOwners;
import dev.granary.storage.keyed.hot.HotKeys;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The door of a storage peer: a port on which it looks like a node of a Redis cluster. Every door serves every key,
 * whoever owns it (docs/guides/redis.md). {@link #start} and {@link #stop} may be called by any thread, each once.
 */
public final class Door {

    private static final int BACKLOG = 1024;
    private static final long CLOSE_LIMIT_SECONDS = 5;
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int KEEP_IDLE_SECONDS = 60;
    private static final int KEEP_INTERVAL_SECONDS = 15;
    private static final int KEEP_PROBES = 4;
    private static final int WRITE_LOW_BYTES = 256 << 10;
    private static final int WRITE_HIGH_BYTES = 1 << 20;
    private static final int MIN_RECEIVE_BYTES = 64;
    private static final int INITIAL_RECEIVE_BYTES = 2 << 10;
    private static final int MAX_RECEIVE_BYTES = 64 << 10;
    private static final int HANDSHAKE_MILLIS = 5_000;

    private static final byte[] TOO_MANY = "-ERR max number of clients reached\r\n".getBytes(StandardCharsets.US_ASCII);

    private final DoorConfig config;
    private final DoorState state;
    private final ChunkRoom chunkRoom;
    private final Routes routes;
    private final KeyedCalls keyed;
    private final @Nullable TlsContexts tls;
    private final ByteBufAllocator allocator;
    private final boolean epoll;
    private final MultiThreadIoEventLoopGroup loops;
    private final Loop checks;
    private final Maintenance maintenance;
    private long commandsBefore;

    /** Everything that is open. Once the group is closed it closes what is still added. */
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    /**
     * A door that is closed. Its I/O threads wait.
     *
     * @param scheduler looks after clients each second
     * @param tls of its connections, if there is to be any; whoever opened it closes it after the door
     * @param allocator of all buffers
     * @param keyed carries out what is about keys
     * @param hasCommand says of the name of a command on keys whether {@code keyed} carries it out
     * @param figures what {@code INFO} shows of keys and memory; any thread asks for it
     * @param limits what keys may take, which clients may change
     * @param hotKeys what is looked at by {@code HOTKEYS}
     * @param chunks carries out what is about chunks; whoever opened it closes it after the door
     * @param access the users of this node; whoever made it closes it after the door
     */
    public Door(
            DoorConfig config,
            Clock clock,
            Scheduler scheduler,
            @Nullable TlsContexts tls,
            ByteBufAllocator allocator,
            KeyedCalls keyed,
            SlotOwners owners,
            Predicate<String> hasCommand,
            Supplier<KeyedFigures> figures,
            KeyedLimits limits,
            HotKeys hotKeys,
            AsyncGranaryClient chunks,
            Access access) {
        LocalCommands local = new LocalCommands();
        this.config = config;
        this.keyed = keyed;
        this.tls = tls;
        this.allocator = allocator;
        this.state =
                new DoorState(config, clock, owners, figures, limits, hotKeys, DoorTable.of(local, hasCommand), access);
        this.chunkRoom = new ChunkRoom(config.limits().chunkBytes());
        this.routes = new Routes(state, local, ChunkCommands.all(chunks, chunkRoom));
        this.epoll = config.polling() != Polling.NIO && Epoll.isAvailable();
        this.loops = new MultiThreadIoEventLoopGroup(
                config.ioThreads(),
                new DefaultThreadFactory("granary-door", true),
                epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        access.tellDoor(this::close);
        this.maintenance = new Maintenance(state, scheduler);
        this.checks = Loop.every(scheduler, "door-clients", CHECK_NANOS, this::check);
    }

    /** What the door knows and counts, for its metrics. */
    DoorState state() {
        return state;
    }

    /** Returns how much heap values of chunks take at present. */
    long chunkBytes() {
        return chunkRoom.usedBytes();
    }

    /** Opens the port; returns the address that is listened on. */
    public CompletableFuture<HostAddress> start() {
        CompletableFuture<HostAddress> opened = new CompletableFuture<>();
        // By the loops, because looking up a host may block.
        loops.execute(() -> bind(opened));
        return opened;
    }

    /** Returns where clients reach this door; known when it is open. */
    public HostAddress announced() {
        return state.announced();
    }

    private void bind(CompletableFuture<HostAddress> opened) {
        HostAddress listen = config.listen();
        InetSocketAddress address = new InetSocketAddress(listen.host(), listen.port());
        if (address.isUnresolved()) {
            opened.completeExceptionally(new ConnectException(
                    "cannot listen for Redis clients on " + listen + ": the host is unknown; correct listen.host"));
            return;
        }
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
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(WRITE_LOW_BYTES, WRITE_HIGH_BYTES))
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel);
                    }
                })
                .bind(address)
                .addListener((ChannelFuture bound) -> {
                    Throwable cause = bound.cause();
                    if (cause != null) {
                        ConnectException failure = new ConnectException("cannot listen for Redis clients on " + listen
                                + ": " + cause.getMessage() + "; correct listen.host or redis.port, or free the port");
                        failure.initCause(cause);
                        opened.completeExceptionally(failure);
                        return;
                    }
                    int port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
                    state.announced(config.announced(port));
                    checks.begin();
                    opened.complete(new HostAddress(listen.host(), port));
                });
    }

    private void accept(Channel channel) {
        channels.add(channel);
        // Each channel has its own: it learns how much its client sends.
        channel.config()
                .setRecvByteBufAllocator(
                        new AdaptiveRecvByteBufAllocator(MIN_RECEIVE_BYTES, INITIAL_RECEIVE_BYTES, MAX_RECEIVE_BYTES));
        if (epoll) {
            channel.config().setOption(EpollChannelOption.TCP_KEEPIDLE, KEEP_IDLE_SECONDS);
            channel.config().setOption(EpollChannelOption.TCP_KEEPINTVL, KEEP_INTERVAL_SECONDS);
            channel.config().setOption(EpollChannelOption.TCP_KEEPCNT, KEEP_PROBES);
        }
        if (!state.clients().tryEnter(state.settings().mostClients())) {
            state.counters().refused();
            if (config.tls() != null) {
                // There is no handshake for those who are refused.
                var _ = channel.close();
                return;
            }
            channel.writeAndFlush(Unpooled.wrappedBuffer(TOO_MANY)).addListener(ChannelFutureListener.CLOSE);
            return;
        }
        Session session = new Session(state, routes, keyed, channel);
        ClientAuthentication asked = config.tls();
        if (tls != null && asked != null) {
            tls.accept(channel, asked, HANDSHAKE_MILLIS, session::refusedByTls);
        }
        channel.pipeline().addLast(session);
    }

    /** Closes the connections of users that are no more. */
    private void close(List<Account> gone) {
        AclUserCommands.close(state, gone, null);
    }

    /** Looks after clients that idle or take no replies, and counts commands. */
    private void check() {
        long now = state.clock().nanoTime();
        for (Client client : state.clients().all()) {
            client.link().check(now);
        }
        long commands = state.commands();
        state.commandsPerSecond(Math.max(0, commands - commandsBefore));
        commandsBefore = commands;
    }

    /** Tells clients that a slot group begins to leave this peer. */
    public void groupLeaves(int group) {
        maintenance.groupLeaves(group);
    }

    /**
     * Tells clients that the migration of a slot group from this peer has ended.
     *
     * @param ownerNid its owner, which is this peer if the group has not left
     */
    public void groupLeft(int group, int ownerNid) {
        maintenance.groupLeft(group, ownerNid);
    }

    /**
     * Tells clients to go to other doors, and serves them until they have gone, for a few seconds at most. Completes at
     * once when no client has asked to be told, or when there is no other door. Call it once, before {@link #stop}.
     */
    public CompletableFuture<Void> leave() {
        return maintenance.leave();
    }

    /** Closes the port and all connections. Completes when its threads have ended; requests that run are dropped. */
    public CompletableFuture<Void> stop() {
        checks.stop();
        maintenance.stop();
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        channels.close().addListener(closed -> loops.shutdownGracefully(0, CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS)
                .addListener(ended -> stopped.complete(null)));
        return stopped;
    }
}
