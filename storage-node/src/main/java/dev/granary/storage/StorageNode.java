package dev.granary.storage;

import dev.granary.env.Environment;
import dev.granary.env.Loop;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryStatistics;
import dev.granary.net.Transport;
import dev.granary.net.access.AccessLog;
import dev.granary.net.access.Credentials;
import dev.granary.net.access.Users;
import dev.granary.net.message.Durability;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.NodeRole;
import dev.granary.net.rpc.RequestHandler;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcServer;
import dev.granary.overlay.Cid;
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
import dev.granary.storage.lease.LeaseHolder;
import dev.granary.storage.lease.LeaseKeeper;
import dev.granary.storage.lease.LidReserver;
import dev.granary.storage.lease.PeerDescription;
import dev.granary.storage.migrate.AwayRangesReader;
import dev.granary.storage.migrate.GroupMoves;
import dev.granary.storage.migrate.MigrationMetrics;
import dev.granary.storage.migrate.Migrations;
import dev.granary.storage.park.ParkFiles;
import dev.granary.storage.park.ParkManifest;
import dev.granary.storage.recover.RecoverySite;
import dev.granary.storage.recover.ZoneTaker;
import dev.granary.storage.replicate.Replication;
import dev.granary.storage.replicate.ReplicationMetrics;
import dev.granary.storage.replicate.ZoneGrant;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
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
    /** The new owner of a slot group is told well within this time. */
    private static final long MOVE_KNOWN_NANOS = 100_000_000;

    private static final long EXPIRY_INTERVAL_NANOS = 60_000_000_000L;

    private static final CompletableFuture<Void> NOTHING_TO_DO = CompletableFuture.completedFuture(null);

    private final Environment environment;
    private final HotKeys hotKeys;
    private final Transport transport;
    private final StorageNodeConfig config;
    private final ChunkMemoryFactory memories;
    private final ProcessControl control;
    private final CollectorRegistry registry;
    private final Lease lease;
    private final LidReserver lids;
    private final ChunkService chunks;
    private final ReplicationMetrics replicationMetrics;
    private final Backups backups;
    private final ParkFiles parkFiles;
    private final PlannedStop plannedStop;
    private final FreshStart freshStart;
    private final Executor worker;
    private final Loop expiry;
    private final Loop loadReports;
    private final AccessLog denials;
    private volatile @Nullable Users users;
    private volatile GroupMoves groupMoves = GroupMoves.NOBODY;
    private volatile RequestHandler requests = RequestRouter::refuse;
    private volatile @Nullable Parts parts;
    private volatile @Nullable Ownership owned;
    private volatile boolean loading;

    // Touched by tasks of the scheduler only.
    private @Nullable ChunkMemory memory;
    private boolean stopping;
    private @Nullable ParkManifest asleep;

    /** What exists once the node has started. */
    private record Parts(
            RpcIdentity identity,
            RpcClient rpc,
            LeaseKeeper keeper,
            Migrations migrations,
            Replication replication,
            NameCopies names,
            KeyedService keyed) {}

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
        this.memories = memories;
        this.control = control;
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
        this.parkFiles = new ParkFiles(environment.disk());
        this.plannedStop = new PlannedStop(
                environment.scheduler(),
                environment.clock(),
                worker,
                parkFiles,
                () -> environment.random().nextLong(),
                control);
        this.freshStart = new FreshStart(environment.scheduler(), plannedStop);
        this.expiry = Loop.every(environment.scheduler(), "expiry", EXPIRY_INTERVAL_NANOS, chunks::expire);
        this.loadReports = Loop.every(environment.scheduler(), "load-report", LOAD_INTERVAL_NANOS, this::reportLoad);
        this.denials = new AccessLog(environment.clock());
        AccessMetrics.register(registry, denials::counts);
        StorageMetrics.register(registry, this);
        MemoryPlanMetrics.register(registry, config.memory().plan(), this::memoryUsed);
    }

    /** Names who learns of slot groups that leave. Call it before {@link #start}. */
    void tellMovesTo(GroupMoves learner) {
        groupMoves = learner;
    }

    /** Names the users that clients have to be. Call it before {@link #start}. */
    public void use(Users known) {
        users = known;
    }

    /** Returns this storage peer's NID, 0 while it has none. Any thread. */
    public int nid() {
        Parts known = parts;
        return known == null ? Nid.NONE : known.identity.nid();
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
            asleep = parkFiles.read().orElse(null);
            if (asleep == null) {
                // What a crash left of a dump: it may be as large as the memory.
                discardParked();
            }
            description = new PeerDescription(
                    identity.diskId(),
                    config.name(),
                    config.advertised(bound.port()),
                    httpAddress,
                    config.memoryBytes(),
                    config.machine(),
                    config.failureZone(),
                    asleep == null ? 0 : asleep.dumpId(),
                    redisAddress);
        } catch (IOException e) {
            listening.completeExceptionally(e);
            return;
        }
        RpcClient rpc =
                new RpcClient(transport, environment.clock(), environment.scheduler(), rpcIdentity, config.ports());
        LeaseKeeper keeper =
                new LeaseKeeper(environment, rpc, rpcIdentity, description, config.seeds(), lease, new Holder());
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
                new Moves(),
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
        parts = new Parts(rpcIdentity, rpc, keeper, migrations, replication, names, keyed);
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
                (request, asked) -> reporter.report(request, asked, owned));
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

    private void discardParked() {
        try {
            parkFiles.discardFound();
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("the parked memory in this data directory could not be deleted");
        }
    }

    private void reportLoad() {
        Parts known = parts;
        if (known != null && owned != null && lease.isValid()) {
            int nid = known.identity.nid();
            known.keeper
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
        Parts known = parts;
        return known == null
                ? CompletableFuture.failedFuture(new IllegalStateException("there is no super-peer yet"))
                : known.keeper.reserveLids(lids.limit(), wantedLimit);
    }

    private void allowLids(long limit) {
        if (memory != null) {
            memory.reserveLids(limit);
        }
    }

    /** Returns what looks at the keys that are asked for most. Any thread. */
    public HotKeys hotKeys() {
        return hotKeys;
    }

    /** Stops serving, gives the lease back and releases the chunk memory. The transport is still open then. */
    public CompletableFuture<Void> stop() {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        environment.scheduler().execute(() -> {
            stopping = true;
            expiry.stop();
            loadReports.stop();
            lids.stop();
            Parts known = parts;
            if (known != null) {
                known.migrations.stop();
                known.keyed.stop();
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
    private CompletableFuture<Void> leave(Parts known) {
        if (plannedStop.isParked()) {
            return NOTHING_TO_DO;
        }
        return known.replication.settle().thenCompose(settled -> {
            known.keeper.revoke();
            known.replication.stop();
            CompletableFuture<Void> left = new CompletableFuture<>();
            // Who has given chunks to this peer may be reading them still; nobody takes its place before.
            environment.scheduler().schedule(known.migrations.sourcesReadForNanos(), () -> left.complete(null));
            return left.thenCompose(read -> known.keeper.giveBack());
        });
    }

    private void release(@Nullable Parts known, CompletableFuture<Void> stopped, @Nullable Throwable failure) {
        if (known != null) {
            known.rpc.close();
            known.keyed.close();
        }
        if (memory != null) {
            memory.close();
            memory = null;
        }
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
        return Optional.ofNullable(owned);
    }

    /** By the id of each zone that this node owns, the NIDs of the backups that get its changes. Any thread. */
    public Map<Integer, Set<Integer>> backupsByZone() {
        Parts known = parts;
        return known == null ? Map.of() : known.replication.zones().backupsByZone();
    }

    /** What its chunk memory holds, or nothing before it serves. May be called at any time. */
    MemoryStatistics memoryStatistics() {
        return chunks.statistics().orElse(nothing());
    }

    /** How many backups have a change when it is answered, as far as is known. May be called at any time. */
    int copies() {
        Parts known = parts;
        return known == null || config.replication().durability() == Durability.ASYNC
                ? 0
                : known.replication.wantedCopies();
    }

    /** Keyed data of this node, or empty before it listens. May be called at any time. */
    public Optional<KeyedService> keyed() {
        Parts known = parts;
        return known == null ? Optional.empty() : Optional.of(known.keyed);
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
        if (loading) {
            return Optional.of(LOADING);
        }
        if (lease.isValid()) {
            return owned != null ? Optional.empty() : Optional.of("it learns which of its chunks others have");
        }
        Parts known = parts;
        String waitingFor = known == null ? "the start" : known.keeper.waitingFor();
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
        Parts known = parts;
        MemoryStatistics statistics = chunks.statistics().orElse(nothing());
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
                known.identity.nid(),
                known.identity.clusterId(),
                known.identity.incarnation(),
                Version.current(),
                lease.remainingNanos(),
                known.keeper.epoch(),
                known.keeper.firstLid(),
                known.keeper.waitingFor(),
                statistics,
                config.memory(),
                memoryUsed());
    }

    private Map<String, Long> memoryUsed() {
        Parts known = parts;
        return new MemoryUse(
                        transport,
                        chunks,
                        backups,
                        known == null ? null : known.replication,
                        known == null ? null : known.names,
                        known == null ? null : known.keyed)
                .bytes();
    }

    private MemoryStatistics nothing() {
        return new MemoryStatistics(0, 0, 0, 0, 0, 0, config.memoryBytes(), 0, config.memoryBytes());
    }

    /**
     * Keeps what the door says of owners up to date, and tells it of moves; tasks of the scheduler. The new owner
     * learns first: if the former one did, each would send clients to the other.
     */
    private final class Moves implements GroupMoves {

        @Override
        public void begun(int group) {
            groupMoves.begun(group);
        }

        @Override
        public void ended(int group, int ownerNid, long epoch) {
            if (ownerNid == Nid.NONE) {
                groupMoves.ended(group, ownerNid, epoch);
                return;
            }
            environment.scheduler().schedule(MOVE_KNOWN_NANOS, () -> {
                learn(group, ownerNid, epoch);
                groupMoves.ended(group, ownerNid, epoch);
            });
        }

        @Override
        public void came(int group, long epoch) {
            Parts known = parts;
            if (known != null) {
                learn(group, known.identity.nid(), epoch);
            }
            groupMoves.came(group, epoch);
        }

        private void learn(int group, int ownerNid, long epoch) {
            Parts known = parts;
            if (known != null) {
                known.keyed.moved(group, ownerNid, epoch);
            }
        }
    }

    /** What the lease keeper needs; tasks of the scheduler. */
    private final class Holder implements LeaseHolder {

        @Override
        public void admitted(int nid, OpenLeaseReply grant) {
            ChunkMemoryConfig memoryConfig = ChunkMemoryConfig.of(nid, config.memoryBytes())
                    .withFirstLid(grant.firstLid())
                    .withLayout(config.layout())
                    .withSystem(config.system());
            ParkManifest manifest = asleep;
            asleep = null;
            if (manifest != null && grant.resumed()) {
                loading = true;
                new Resumption(environment.scheduler(), worker, parkFiles, manifest)
                        .load(memoryConfig, loaded -> resume(memories.loaded(loaded), manifest, grant), this::lost);
                return;
            }
            if (manifest != null) {
                LOG.atWarn()
                        .log("the parked memory in this data directory counts no more: others took its place, or it"
                                + " was resumed before");
                worker.execute(StorageNode.this::discardParked);
            }
            ChunkMemory opened = memories.open(memoryConfig);
            memory = opened;
            Parts known = Objects.requireNonNull(parts);
            known.replication.start(grant.epoch());
            known.replication.add(grant.wantedCopies(), grant.ranges());
            lids.start(grant.firstLid(), grant.lidLimit());
            Ownership ownership = new Ownership(nid, grant.firstLid());
            Runnable serve = () -> {
                if (!stopping) {
                    serve(known, opened, ownership, grant.epoch());
                }
            };
            if (grant.firstLid() == Cid.MIN_LID) {
                serve.run();
            } else {
                new AwayRangesReader(environment.scheduler(), known.keeper.arcs(), ownership, serve).begin();
            }
        }

        private void serve(Parts known, ChunkMemory opened, Ownership ownership, long epoch) {
            known.migrations.serve(opened, ownership, epoch);
            known.replication.serve(chunks.content(opened));
            recoverZones(known, opened, ownership, epoch);
            chunks.serve(opened, ownership, known.replication.zones(), epoch);
            plannedStop.serve(new PlannedStop.Site(
                    known.identity.clusterId(),
                    opened,
                    ownership,
                    chunks,
                    known.replication,
                    known.migrations,
                    backups,
                    known.keeper,
                    lids));
            owned = ownership;
        }

        /** Goes on where a parked incarnation stopped. */
        private void resume(ChunkMemory loaded, ParkManifest manifest, OpenLeaseReply grant) {
            loading = false;
            if (stopping) {
                loaded.close();
                return;
            }
            memory = loaded;
            Parts known = Objects.requireNonNull(parts);
            Ownership ownership = new Ownership(manifest.nid(), manifest.firstLid());
            manifest.known().forEach(ownership::learn);
            Resumption.learn(manifest, chunks.luggage());
            known.replication.start(grant.epoch());
            known.replication.wantCopies(grant.wantedCopies());
            backups.resume();
            manifest.zones()
                    .forEach(zone -> known.replication.resume(
                            new ZoneGrant(zone.placement(), zone.ranges(), zone.lastSequence(), false, false)));
            lids.start(grant.firstLid(), grant.lidLimit());
            serve(known, loaded, ownership, grant.epoch());
            LOG.atInfo()
                    .addKeyValue("chunks", loaded.statistics().chunks())
                    .log("this storage peer goes on where it was parked");
        }

        /** The dump cannot be used: the lease goes back, so that those who have copies take this peer's place. */
        private void lost(Throwable cause) {
            loading = false;
            LeaseKeeper keeper = Objects.requireNonNull(parts).keeper;
            keeper.revoke();
            var _ = keeper.giveBack()
                    .thenRunAsync(
                            () -> failed("what was parked on its disk cannot be used: " + cause.getMessage(), cause),
                            environment.scheduler());
        }

        /** Zones of others can be recovered here, and are replicated from then on. */
        private void recoverZones(Parts known, ChunkMemory opened, Ownership ownership, long epoch) {
            ZoneTaker taker = new RecoveredZones(known.replication, known.migrations);
            backups.serve((log, metrics) -> new RecoverySite(
                    environment.clock(),
                    environment.scheduler(),
                    backups.readers(),
                    known.rpc,
                    known.keeper.arcs(),
                    known.identity.clusterId(),
                    log,
                    opened,
                    ownership,
                    epoch,
                    chunks.luggage(),
                    taker,
                    chunks::turnOver,
                    chunks::wake,
                    config.memory().window(),
                    metrics));
        }

        @Override
        public void readmitted(OpenLeaseReply grant) {
            replication().add(grant.wantedCopies(), grant.ranges());
            replication().refreshAll();
            lids.raiseLimit(grant.lidLimit());
        }

        @Override
        public void lidsReserved(ReserveLidsReply reserved) {
            replication().add(reserved.wantedCopies(), reserved.ranges());
        }

        @Override
        public void renewed(RenewLeaseReply renewal) {
            replication().wantCopies(renewal.wantedCopies());
            replication().zonesMark(renewal.zonesMark());
        }

        private Replication replication() {
            return Objects.requireNonNull(parts).replication;
        }

        @Override
        public PeerStatistics statistics() {
            MemoryStatistics now = chunks.statistics().orElse(nothing());
            Parts known = parts;
            long placeholders = known == null ? 0 : known.migrations.placeholders();
            return new PeerStatistics(
                    Math.max(0, now.chunks() - placeholders),
                    now.payloadBytes(),
                    now.bookkeepingBytes(),
                    now.usedBytes(),
                    now.capacityBytes(),
                    backups.copies(),
                    backups.logBytes());
        }

        @Override
        public void failed(String reason, Throwable cause) {
            LOG.atError().addKeyValue("peer", config.name()).log("the storage peer cannot go on: {}", reason);
            control.fail(reason, cause);
        }
    }
}
