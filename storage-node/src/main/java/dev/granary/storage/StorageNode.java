package dev.granary.storage;

import dev.granary.env.Environment;
import dev.granary.env.Loop;
import dev.granary.memory.MemoryStatistics;
import dev.granary.net.Transport;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.Users;
import dev.granary.net.message.Durability;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.process.AccessMetrics;
import dev.granary.process.HttpContent;
import dev.granary.process.MemoryPlanMetrics;
import dev.granary.process.NodeIdentity;
import dev.granary.process.ProcessControl;
import dev.granary.process.Version;
import dev.granary.storage.backup.BackupDisk;
import dev.granary.storage.backup.Incarnation;
import dev.granary.storage.data.ChunkMetrics;
import dev.granary.storage.data.ChunkService;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.data.UnsentAnswers;
import dev.granary.storage.keyed.KeyedMemory;
import dev.granary.storage.keyed.KeyedService;
import dev.granary.storage.keyed.hot.HotKeys;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.lease.LeaseKeeper;
import dev.granary.storage.lease.LidReserver;
import dev.granary.storage.lease.PeerDescription;
import dev.granary.storage.migrate.GroupMoves;
import dev.granary.storage.migrate.MigrationMetrics;
import dev.granary.storage.migrate.Migrations;
import dev.granary.storage.park.ParkFiles;
import dev.granary.storage.replicate.Replication;
import dev.granary.storage.replicate.ReplicationMetrics;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A storage peer: gets a NID and a lease, opens its chunk memory and serves chunks while the lease holds. What changes
 * is held by backups before it is acknowledged (ADR 0105). Knows nothing of processes, real networks and real time, so
 * that it runs unchanged in the simulator.
 *
 * <p>{@link #start} and {@link #stop} may be called by any thread, each once; what tells may be called at any time.
 */
public final class StorageNode implements HttpContent {

    private static final Logger LOG = LoggerFactory.getLogger(StorageNode.class);

    private static final long LOAD_INTERVAL_NANOS = 5_000_000_000L;

    private static final long EXPIRY_INTERVAL_NANOS = 60_000_000_000L;

    private static final CompletableFuture<Void> NOTHING_TO_DO = CompletableFuture.completedFuture(null);

    private final Environment environment;
    private final HotKeys hotKeys;
    private final Transport transport;
    private final StorageNodeConfig config;
    private final CollectorRegistry registry;
    private final Lease lease;
    private final LidReserver lids;
    private final ChunkService chunks;
    private final ReplicationMetrics replicationMetrics;
    private final Backups backups;
    private final PlannedStop plannedStop;
    private final FreshStart freshStart;
    private final Serving serving;
    private final AnnouncedMoves moves;
    private final Executor worker;
    private final Loop expiry;
    private final Loop loadReports;
    private final AccessLog denials;
    private volatile @Nullable Users users;
    private volatile RequestHandler requests = RequestRouter::refuse;
    private volatile @Nullable NodeParts parts;

    /**
     * A node that has not started.
     *
     * @param transport stays the caller's, who closes it after {@link #stop}
     * @param memories opens the chunk memory
     * @param control called when the node cannot go on; the caller then stops it
     * @param registry takes the node's metrics
     */
    public StorageNode(
            Environment environment,
            Transport transport,
            StorageNodeConfig config,
            ChunkMemoryFactory memories,
            ProcessControl control,
            CollectorRegistry registry) {
        this(environment, transport, config, memories, control, registry, BackupDisk.of(environment));
    }

    /**
     * The same with a place of its own for the logs of others' zones.
     *
     * @param backupDisk stays the caller's, who closes it after {@link #stop}
     */
    public StorageNode(
            Environment environment,
            Transport transport,
            StorageNodeConfig config,
            ChunkMemoryFactory memories,
            ProcessControl control,
            CollectorRegistry registry,
            BackupDisk backupDisk) {
        this.environment = environment;
        this.hotKeys = new HotKeys(environment.clock());
        this.transport = transport;
        this.config = config;
        this.registry = registry;
        this.lease = new Lease(environment.clock());
        this.lids = new LidReserver(environment.clock(), environment.scheduler(), this::askForLids, this::allowLids);
        this.replicationMetrics = new ReplicationMetrics(registry);
        this.chunks = new ChunkService(
                environment.clock(),
                lease,
                lids,
                new ChunkMetrics(registry),
                replicationMetrics,
                environment.scheduler(),
                transport.allocator(),
                config.replication().durability(),
                new UnsentAnswers(
                        transport::outboundBytes,
                        config.memory().outboundBytes(),
                        environment.clock().nanoTime()),
                config.memory().parkedBytes(),
                config.memory().completedBytes());
        this.backups = new Backups(
                environment, backupDisk, config.backupLog(), config.memory().spoolBytes(), registry);
        this.worker = backupDisk.readers();
        ParkFiles parkFiles = new ParkFiles(environment.disk());
        this.plannedStop = new PlannedStop(
                environment.scheduler(),
                environment.clock(),
                worker,
                parkFiles,
                () -> environment.random().nextLong(),
                control);
        this.freshStart = new FreshStart(environment.scheduler(), plannedStop);
        this.serving = new Serving(
                environment,
                config,
                memories,
                control,
                chunks,
                lids,
                backups,
                parkFiles,
                plannedStop,
                worker,
                () -> parts);
        this.moves = new AnnouncedMoves(environment.scheduler(), () -> parts);
        this.expiry = Loop.every(environment.scheduler(), "expiry", EXPIRY_INTERVAL_NANOS, chunks::expire);
        this.loadReports = Loop.every(environment.scheduler(), "load-report", LOAD_INTERVAL_NANOS, this::reportLoad);
        this.denials = new AccessLog(environment.clock());
        AccessMetrics.register(registry, denials::counts);
        StorageMetrics.register(registry, this);
        MemoryPlanMetrics.register(registry, config.memory().plan(), this::memoryUsed);
    }

    /** Names who learns of slot groups that leave. Call it before {@link #start}. */
    void tellMovesTo(GroupMoves learner) {
        moves.tell(learner);
    }

    /** Names the users that clients have to be. Call it before {@link #start}. */
    public void use(Users known) {
        users = known;
    }

    /** Returns this storage peer's NID, 0 while it has none. Any thread. */
    public int nid() {
        NodeParts known = parts;
        return known == null ? Nid.NONE : known.identity().nid();
    }

    /**
     * Listens and begins to look for a super-peer.
     *
     * @param httpAddress where others reach this node's HTTP port
     * @return the address that is listened on; ready is the node later, see {@link #notReadyReason}
     */
    public CompletableFuture<HostAddress> start(HostAddress httpAddress) {
        return start(httpAddress, null);
    }

    /**
     * The same with a door for Redis clients, which is open.
     *
     * @param redisAddress where clients reach the door; null when there is none
     */
    public CompletableFuture<HostAddress> start(HostAddress httpAddress, @Nullable HostAddress redisAddress) {
        CompletableFuture<HostAddress> listening = new CompletableFuture<>();
        environment.scheduler().execute(() -> {
            try {
                NodeIdentity identity = NodeIdentity.open(environment);
                RpcIdentity rpcIdentity = new RpcIdentity(
                        NodeRole.STORAGE_PEER,
                        identity.incarnation(),
                        Credentials.of(config.secret(), environment.random()));
                RpcServer server = new RpcServer(rpcIdentity, request -> requests.handle(request), denials, users);
                var _ = server.listen(transport, config.listen(), config.ports())
                        .whenCompleteAsync(
                                (bound, failure) -> {
                                    if (failure != null) {
                                        listening.completeExceptionally(failure);
                                    } else {
                                        join(identity, rpcIdentity, bound, httpAddress, redisAddress, listening);
                                    }
                                },
                                environment.scheduler());
            } catch (IOException | RuntimeException e) {
                listening.completeExceptionally(e);
            }
        });
        return listening;
    }

    private void join(
            NodeIdentity identity,
            RpcIdentity rpcIdentity,
            HostAddress bound,
            HostAddress httpAddress,
            @Nullable HostAddress redisAddress,
            CompletableFuture<HostAddress> listening) {
        PeerDescription description;
        try {
            long parkedDump = serving.findParked();
            description = new PeerDescription(
                    identity.diskId(),
                    config.name(),
                    config.advertised(bound.port()),
                    httpAddress,
                    config.memoryBytes(),
                    config.machine(),
                    config.failureZone(),
                    parkedDump,
                    redisAddress);
        } catch (IOException e) {
            listening.completeExceptionally(e);
            return;
        }
        RpcClient rpc =
                new RpcClient(transport, environment.clock(), environment.scheduler(), rpcIdentity, config.ports());
        LeaseKeeper keeper =
                new LeaseKeeper(environment, rpc, rpcIdentity, description, config.seeds(), lease, serving);
        Replication replication = new Replication(
                environment.clock(),
                environment.scheduler(),
                rpc,
                rpcIdentity,
                keeper.arcs(),
                transport.allocator(),
                config.replication(),
                replicationMetrics);
        Migrations migrations = new Migrations(
                environment.clock(),
                environment.scheduler(),
                rpc,
                keeper.arcs(),
                chunks,
                lease,
                replication,
                moves,
                new MigrationMetrics(registry));
        HoldingsReporter reporter = new HoldingsReporter(
                rpcIdentity, description, keeper, lease, lids, chunks::greatestToken, migrations, replication);
        NameCopies names = new NameCopies(
                rpcIdentity,
                environment.clock(),
                environment.scheduler(),
                config.memory().nameBytes());
        KeyedService keyed = new KeyedService(
                environment,
                rpc,
                rpcIdentity,
                keeper::ring,
                keeper.arcs(),
                chunks.keyed(),
                replication,
                transport.allocator(),
                worker,
                config.replication().durability(),
                new KeyedMemory(config.memory().indexBytes(), config.keyed()),
                config.keyed(),
                hotKeys);
        parts = new NodeParts(rpcIdentity, rpc, keeper, migrations, replication, names, keyed);
        requests = RequestRouter.of(
                environment.scheduler(),
                plannedStop,
                freshStart,
                chunks,
                migrations,
                replication,
                backups,
                names,
                keyed,
                (request, asked) -> reporter.report(request, asked, serving.ownership()));
        LOG.atInfo()
                .addKeyValue("peer", config.name())
                .addKeyValue("diskId", identity.diskId())
                .addKeyValue("boundAddress", bound)
                .addKeyValue("address", description.address())
                .addKeyValue("seeds", config.seeds())
                .log("storage peer listens and looks for its cluster");
        try {
            backups.open(rpcIdentity, incarnation(keeper));
            keeper.start();
        } catch (IOException | RuntimeException e) {
            listening.completeExceptionally(e);
            return;
        }
        expiry.beginAfter(EXPIRY_INTERVAL_NANOS);
        loadReports.beginAfter(LOAD_INTERVAL_NANOS);
        listening.complete(bound);
    }

    private Incarnation incarnation(LeaseKeeper keeper) {
        return new Incarnation() {
            @Override
            public long epoch() {
                return keeper.epoch();
            }

            @Override
            public boolean holdsLease() {
                return lease.isValid();
            }
        };
    }

    private void reportLoad() {
        NodeParts known = parts;
        if (known != null && serving.ownership() != null && lease.isValid()) {
            int nid = known.identity().nid();
            known.keeper()
                    .arcs()
                    .callArc(
                            nid,
                            MessageType.REPORT_LOAD,
                            chunks.takeLoad(nid, LOAD_INTERVAL_NANOS),
                            done -> {},
                            failure -> LOG.debug("the load could not be reported: {}", failure.getMessage()));
        }
    }

    private CompletableFuture<Long> askForLids(long wantedLimit) {
        NodeParts known = parts;
        return known == null
                ? CompletableFuture.failedFuture(new IllegalStateException("there is no super-peer yet"))
                : known.keeper().reserveLids(lids.limit(), wantedLimit);
    }

    private void allowLids(long limit) {
        serving.allowLids(limit);
    }

    /** Returns what looks at the keys that are asked for most. Any thread. */
    public HotKeys hotKeys() {
        return hotKeys;
    }

    /** Stops serving, gives the lease back and releases the chunk memory. The transport is still open then. */
    public CompletableFuture<Void> stop() {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        environment.scheduler().execute(() -> {
            serving.stop();
            expiry.stop();
            loadReports.stop();
            lids.stop();
            NodeParts known = parts;
            if (known != null) {
                known.migrations().stop();
                known.keyed().stop();
            }
            var _ = CompletableFuture.allOf(chunks.close(), backups.stop(), plannedStop.stop())
                    .thenComposeAsync(empty -> known == null ? NOTHING_TO_DO : leave(known), environment.scheduler())
                    .whenComplete((done, failure) -> {
                        var _ = backups.close()
                                .thenRunAsync(() -> release(known, stopped, failure), environment.scheduler());
                    });
        });
        return stopped;
    }

    /** What was changed goes to the backups and is answered; then the lease is given back. */
    private CompletableFuture<Void> leave(NodeParts known) {
        if (plannedStop.isParked()) {
            return NOTHING_TO_DO;
        }
        return known.replication().settle().thenCompose(settled -> {
            known.keeper().revoke();
            known.replication().stop();
            CompletableFuture<Void> left = new CompletableFuture<>();
            // Who has given chunks to this peer may be reading them still; nobody takes its place before.
            environment.scheduler().schedule(known.migrations().sourcesReadForNanos(), () -> left.complete(null));
            return left.thenCompose(read -> known.keeper().giveBack());
        });
    }

    private void release(@Nullable NodeParts known, CompletableFuture<Void> stopped, @Nullable Throwable failure) {
        if (known != null) {
            known.rpc().close();
            known.keyed().close();
        }
        serving.release();
        if (failure == null) {
            stopped.complete(null);
        } else {
            stopped.completeExceptionally(failure);
        }
    }

    /**
     * Whether it has stopped for a while: its memory is on its disk, and nobody takes its place.
     * May be called at any time.
     */
    public boolean isParked() {
        return plannedStop.isParked();
    }

    /** Which chunks this node owns, or empty before it has learnt that. May be called at any time. */
    public Optional<Ownership> ownership() {
        return Optional.ofNullable(serving.ownership());
    }

    /** By the id of each zone that this node owns, the NIDs of the backups that get its changes. Any thread. */
    public Map<Integer, Set<Integer>> backupsByZone() {
        NodeParts known = parts;
        return known == null ? Map.of() : known.replication().zones().backupsByZone();
    }

    /** What its chunk memory holds, or nothing before it serves. May be called at any time. */
    MemoryStatistics memoryStatistics() {
        return serving.memoryStatistics();
    }

    /** How many backups have a change when it is answered, as far as is known. May be called at any time. */
    int copies() {
        NodeParts known = parts;
        return known == null || config.replication().durability() == Durability.ASYNC
                ? 0
                : known.replication().wantedCopies();
    }

    /** Keyed data of this node, or empty before it listens. May be called at any time. */
    public Optional<KeyedService> keyed() {
        NodeParts known = parts;
        return known == null ? Optional.empty() : Optional.of(known.keyed());
    }

    @Override
    public Optional<String> notAliveReason() {
        return environment.scheduler().loops().stalled();
    }

    @Override
    public Optional<String> notReadyReason() {
        if (isParked()) {
            return Optional.of(
                    "it is parked, with its memory on its disk; a new process goes on where this one stopped");
        }
        if (serving.isLoading()) {
            return Optional.of(LOADING);
        }
        if (lease.isValid()) {
            return serving.ownership() != null
                    ? Optional.empty()
                    : Optional.of("it learns which of its chunks others have");
        }
        NodeParts known = parts;
        String waitingFor = known == null ? "the start" : known.keeper().waitingFor();
        return Optional.of("no valid lease" + (waitingFor.isEmpty() ? "" : ", waiting for " + waitingFor));
    }

    @Override
    public String statusJson() {
        return status().toJson();
    }

    @Override
    public CollectorRegistry metrics() {
        return registry;
    }

    StorageStatus status() {
        NodeParts known = parts;
        MemoryStatistics statistics = serving.memoryStatistics();
        if (known == null) {
            return new StorageStatus(
                    config.name(),
                    Nid.NONE,
                    RpcIdentity.NO_CLUSTER,
                    0,
                    Version.current(),
                    0,
                    0,
                    0,
                    "",
                    statistics,
                    config.memory(),
                    memoryUsed());
        }
        return new StorageStatus(
                config.name(),
                known.identity().nid(),
                known.identity().clusterId(),
                known.identity().incarnation(),
                Version.current(),
                lease.remainingNanos(),
                known.keeper().epoch(),
                known.keeper().firstLid(),
                known.keeper().waitingFor(),
                statistics,
                config.memory(),
                memoryUsed());
    }

    private Map<String, Long> memoryUsed() {
        NodeParts known = parts;
        return new MemoryUse(
                        transport,
                        chunks,
                        backups,
                        known == null ? null : known.replication(),
                        known == null ? null : known.names(),
                        known == null ? null : known.keyed())
                .bytes();
    }
}
