package dev.granary.storage;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.access.Access;
import dev.granary.access.NodeUsers;
import dev.granary.access.PageUsers;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.env.Clock;
import dev.granary.env.FileDisk;
import dev.granary.keyed.command.KeyCommands;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.CleanerConfig;
import dev.granary.memory.paged.ChunkMemories;
import dev.granary.memory.paged.Cleaner;
import dev.granary.net.access.Credentials;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyOptions.Polling;
import dev.granary.net.netty.NettyTransport;
import dev.granary.net.tls.TlsContexts;
import dev.granary.overlay.HostAddress;
import dev.granary.process.ConnectionMetrics;
import dev.granary.process.HttpGate;
import dev.granary.process.HttpPages;
import dev.granary.process.HttpPort;
import dev.granary.process.LoopMetrics;
import dev.granary.process.Metrics;
import dev.granary.process.NodeConfig;
import dev.granary.process.NodeKeys;
import dev.granary.process.NodeRuntime;
import dev.granary.process.PortsFile;
import dev.granary.process.ProcessControl;
import dev.granary.process.TlsMetrics;
import dev.granary.process.TlsPage;
import dev.granary.process.TransportKind;
import dev.granary.storage.backup.BackupDisk;
import dev.granary.storage.door.Door;
import dev.granary.storage.door.DoorMetrics;
import dev.granary.storage.door.state.DoorConfig;
import dev.granary.storage.keyed.KeyedLimits;
import dev.granary.storage.recover.RecoveryWarmup;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a storage peer needs of the machine for one incarnation: ports, disks, threads, chunk memory. {@link #start} and
 * {@link #stop} are called once each, by threads that do not overlap.
 */
final class StorageNodeRun implements ChunkMemoryFactory, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(StorageNodeRun.class);
    private static final long LISTEN_LIMIT_SECONDS = 60;

    /** Below the data directory: copies of what others own. */
    private static final String LOG_DIRECTORY = "log";

    private static final int LOG_READERS = 2;

    /** How long a thread for which others wait defragments chunk memory before it tells the caller to try again. */
    private static final long RECLAIM_NANOS = 5_000_000;

    private final NodeConfig config;
    private final NodeRuntime runtime;
    private final FileDisk logDisk;
    private final ExecutorService logWriter;
    private final ExecutorService logReaders;
    private final @Nullable TlsContexts tls;
    private final NettyTransport transport;
    private final StorageNode node;
    private final @Nullable CleanerConfig cleanerConfig;
    private final MemoryGrowth.Sizes sizes;
    private final ProcessMetrics metrics;
    private final AtomicReference<@Nullable Cleaner> cleaner = new AtomicReference<>();
    private final AtomicReference<@Nullable MemoryGrowth> growth = new AtomicReference<>();
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private boolean stopping;

    private final Access access;
    private final @Nullable NodeUsers users;
    private final @Nullable ChunkClient chunks;
    private final @Nullable Door door;

    private @Nullable HttpPort http;
    private int redisPort;

    /**
     * A run that has not started.
     *
     * @param doorConfig of the door for Redis clients; null when there is to be none
     * @param usersFile the file of users; null when there are none
     * @param sizes the size of the chunk memory for each memory limit
     * @param control called when this run cannot go on
     * @param endedBefore how many runs of this process ended before it
     */
    StorageNodeRun(
            NodeConfig config,
            StorageNodeConfig nodeConfig,
            @Nullable DoorConfig doorConfig,
            @Nullable Path usersFile,
            @Nullable CleanerConfig cleanerConfig,
            MemoryGrowth.Sizes sizes,
            ProcessControl control,
            int endedBefore)
            throws IOException {
        this.config = config;
        this.cleanerConfig = cleanerConfig;
        this.sizes = sizes;
        this.runtime = NodeRuntime.open(config.dataDir(), "storage-control", control);
        this.tls = openTls(config, runtime);
        this.logDisk = openLogDisk(config, runtime, tls);
        this.logWriter = Executors.newSingleThreadExecutor(threads("backup-log"));
        this.logReaders = Executors.newFixedThreadPool(LOG_READERS, threads("backup-replay"));
        this.transport = new NettyTransport(NettyOptions.defaults()
                .withPolling(polling(config.transport()))
                .withInboundBytes(nodeConfig.memory().inboundBytes())
                .withAccepting(NettyOptions.Accepting.defaults()
                        .withConnections(config.connections(), config.connectionsPerAddress()))
                .withTls(tls));
        CollectorRegistry registry = Metrics.newRegistryWithJvm();
        ConnectionMetrics.register(
                registry,
                transport::acceptedConnections,
                transport::refusedConnections,
                new ConnectionMetrics.Traffic(
                        transport::receivedFrames,
                        transport::receivedBytes,
                        transport::sentFrames,
                        transport::sentBytes));
        if (tls != null) {
            TlsMetrics.register(
                    registry,
                    tls::secondsToExpiry,
                    tls::lifetimeSeconds,
                    new TlsMetrics.Revoked(tls::revokedCertificates, tls::secondsToNextLists),
                    tls::filesTaken,
                    tls::filesRefused);
        }
        LoopMetrics.register(registry, runtime.environment().scheduler().loops());
        this.metrics = new ProcessMetrics(registry, config.dataDir(), endedBefore);
        this.node = new StorageNode(
                runtime.environment(),
                transport,
                nodeConfig,
                this,
                control,
                registry,
                new BackupDisk(logDisk, logWriter, logReaders));
        this.access = new Access(usersFile, runtime.environment().random());
        this.users = usersFile == null ? null : users(usersFile);
        this.chunks = doorConfig == null
                ? null
                : new ChunkClient(
                        runtime.environment(),
                        transport,
                        Credentials.of(
                                nodeConfig.secret(), runtime.environment().random()),
                        nodeConfig.seeds());
        this.door = doorConfig == null || chunks == null
                ? null
                : door(doorConfig, nodeConfig.keyed(), chunks.client(), registry);
    }

    /** Users of the binary protocol; none where everybody can say that it is a node. */
    private @Nullable NodeUsers users(Path file) {
        if (!config.provesNodes()) {
            LOG.atWarn()
                    .addKeyValue("file", file)
                    .log(
                            "users are for Redis clients only, and whoever reaches port {} may do everything: set {} or"
                                    + " tls.directory",
                            config.listen().port(),
                            NodeKeys.SECRET_FILE);
            return null;
        }
        NodeUsers made = new NodeUsers(
                access, runtime.environment().clock(), runtime.environment().scheduler(), node::nid);
        node.use(made);
        return made;
    }

    private Door door(
            DoorConfig doorConfig, KeyedLimits limits, AsyncGranaryClient ofChunks, CollectorRegistry registry) {
        KeyedDoor keyed = new KeyedDoor(node);
        Door made = new Door(
                doorConfig,
                runtime.environment().clock(),
                runtime.environment().scheduler(),
                tls,
                transport.allocator(),
                keyed,
                keyed,
                new KeyCommands()::has,
                keyed::figures,
                limits,
                node.hotKeys(),
                ofChunks,
                access);
        var _ = new DoorMetrics(registry, made);
        node.tellMovesTo(new DoorMoves(made, keyed));
        return made;
    }

    private static @Nullable TlsContexts openTls(NodeConfig config, NodeRuntime runtime) throws IOException {
        try {
            return StorageTls.open(config.tls(), runtime.environment().clock());
        } catch (RuntimeException e) {
            runtime.close();
            throw e;
        }
    }

    private static FileDisk openLogDisk(NodeConfig config, NodeRuntime runtime, @Nullable TlsContexts tls)
            throws IOException {
        try {
            return FileDisk.open(config.dataDir().resolve(LOG_DIRECTORY));
        } catch (IOException | RuntimeException e) {
            if (tls != null) {
                tls.close();
            }
            runtime.close();
            throw e;
        }
    }

    private static ThreadFactory threads(String name) {
        return task -> {
            Thread thread = new BackgroundThread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    static Polling polling(TransportKind kind) {
        return switch (kind) {
            case AUTO -> Polling.AUTO;
            case EPOLL -> Polling.EPOLL;
            case NIO -> Polling.NIO;
        };
    }

    @Override
    public ChunkMemory open(ChunkMemoryConfig memoryConfig) {
        return loaded(ChunkMemories.open(memoryConfig));
    }

    @Override
    public ChunkMemory loaded(ChunkMemory memory) {
        memory.limitReclaim(StorageNodeRun::reclaimNanos);
        lock.lock();
        try {
            // The memory may come while this run is told to stop: nobody would end what works at it.
            if (!stopping) {
                workAt(memory);
            }
        } finally {
            lock.unlock();
        }
        return memory;
    }

    private void workAt(ChunkMemory memory) {
        if (cleanerConfig != null) {
            Cleaner started = new Cleaner(memory, cleanerConfig, TimeUnit.NANOSECONDS::sleep, failure -> {
                metrics.cleanerFailed();
                LOG.atError().setCause(failure).log("the cleaner of the chunk memory has failed, and tries again");
            });
            started.start();
            cleaner.set(started);
        }
        if (sizes.maxBytes() > sizes.sizeBytes()) {
            MemoryGrowth begun = new MemoryGrowth(
                    memory,
                    sizes,
                    MemoryGrowth::limitOfProcess,
                    runtime.environment().scheduler(),
                    Executors.newSingleThreadExecutor(threads("memory-growth")));
            begun.start();
            growth.set(begun);
        }
    }

    /**
     * I/O threads serve many connections and hold the lock of a zone; the control thread renews leases. Only work of
     * the background has nobody waiting for the thread.
     */
    private static long reclaimNanos() {
        return Thread.currentThread() instanceof BackgroundThread ? Long.MAX_VALUE : RECLAIM_NANOS;
    }

    /**
     * Listens and looks for the cluster.
     *
     * @return the configuration with the ports that are listened on
     */
    NodeConfig start() throws IOException, InterruptedException, ExecutionException, TimeoutException {
        HttpPages certificates = tls == null ? TlsPage.none() : TlsPage.of(tls::certificate, tls::authorities);
        // Users are known before anybody can ask.
        access.begin(runtime.environment().scheduler());
        HttpPort opened = HttpPort.open(config.http(), node, Map.of(TlsPage.PATH, certificates), gate());
        opened.refusals().register(node.metrics());
        http = opened;
        HostAddress httpAddress = new HostAddress(config.advertiseHost(), opened.port());
        if (users != null) {
            users.begin();
        }
        HostAddress redisAddress = null;
        if (door != null) {
            redisPort = door.start().get(LISTEN_LIMIT_SECONDS, TimeUnit.SECONDS).port();
            redisAddress = door.announced();
        }
        HostAddress bound = node.start(httpAddress, redisAddress).get(LISTEN_LIMIT_SECONDS, TimeUnit.SECONDS);
        PortsFile.write(runtime.environment().disk(), bound.port(), opened.port(), redisPort);
        logReaders.execute(RecoveryWarmup::run);
        return config.withPorts(bound.port(), opened.port());
    }

    private HttpGate gate() {
        Clock clock = runtime.environment().clock();
        return tls == null || !config.httpTls()
                ? HttpGate.OPEN
                : HttpGate.of(tls, users == null ? null : new PageUsers(access, clock), clock);
    }

    /** Returns the port of the door for Redis clients, 0 when there is none. Known once this has started. */
    int redisPort() {
        return redisPort;
    }

    /**
     * Tells Redis clients to go to other storage peers, and waits until they have gone, for a few seconds at most. A
     * peer that does not serve, such as one that is parked, tells nobody. Call it before {@link #stop}.
     */
    void leave() throws InterruptedException, ExecutionException {
        if (door != null && node.notReadyReason().isEmpty()) {
            door.leave().get();
        }
    }

    /** Gives back what it has, and waits until all is done. */
    void stop() throws IOException, InterruptedException, ExecutionException {
        lock.lock();
        try {
            stopping = true;
        } finally {
            lock.unlock();
        }
        MemoryGrowth growing = growth.getAndSet(null);
        if (growing != null) {
            growing.close();
        }
        Cleaner running = cleaner.getAndSet(null);
        if (running != null) {
            running.close();
        }
        try {
            if (door != null) {
                door.stop().get();
            }
            node.stop().get();
        } finally {
            close();
        }
    }

    /** Releases what a run holds that did not start, or has stopped. */
    @Override
    public void close() throws IOException {
        if (door != null) {
            var _ = door.stop();
        }
        if (users != null) {
            users.close();
        }
        access.close();
        if (chunks != null) {
            chunks.close();
        }
        transport.close();
        if (tls != null) {
            tls.close();
        }
        if (http != null) {
            http.close();
        }
        logReaders.shutdown();
        logWriter.shutdown();
        logDisk.close();
        runtime.close();
    }
}
