package dev.granary.storage;

import dev.granary.env.Environment;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryStatistics;
import dev.granary.net.message.LeaseMessages.OpenLeaseReply;
import dev.granary.net.message.LeaseMessages.PeerStatistics;
import dev.granary.net.message.LeaseMessages.RenewLeaseReply;
import dev.granary.net.message.LeaseMessages.ReserveLidsReply;
import dev.granary.overlay.Cid;
import dev.granary.process.ProcessControl;
import dev.granary.storage.data.ChunkService;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.lease.LeaseHolder;
import dev.granary.storage.lease.LeaseKeeper;
import dev.granary.storage.lease.LidReserver;
import dev.granary.storage.migrate.AwayRangesReader;
import dev.granary.storage.park.ParkFiles;
import dev.granary.storage.park.ParkManifest;
import dev.granary.storage.recover.RecoverySite;
import dev.granary.storage.recover.ZoneTaker;
import dev.granary.storage.replicate.Replication;
import dev.granary.storage.replicate.ZoneGrant;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a storage peer does as its lease is granted, renewed and lost: opens its chunk memory, or loads what was parked,
 * and hands it to the parts that serve. Tasks of the scheduler; {@link #ownership}, {@link #isLoading} and {@link
 * #memoryStatistics} may be called by any thread.
 */
final class Serving implements LeaseHolder {

    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

    private final Environment environment;
    private final StorageNodeConfig config;
    private final ChunkMemoryFactory memories;
    private final ProcessControl control;
    private final ChunkService chunks;
    private final LidReserver lids;
    private final Backups backups;
    private final ParkFiles parkFiles;
    private final PlannedStop plannedStop;
    private final Executor worker;
    private final Supplier<@Nullable NodeParts> parts;
    private volatile @Nullable Ownership owned;
    private volatile boolean loading;
    private @Nullable ChunkMemory memory;
    private boolean stopping;
    private @Nullable ParkManifest asleep;

    /**
     * @param worker loads what was parked
     * @param parts returns what exists once the node listens
     */
    Serving(
            Environment environment,
            StorageNodeConfig config,
            ChunkMemoryFactory memories,
            ProcessControl control,
            ChunkService chunks,
            LidReserver lids,
            Backups backups,
            ParkFiles parkFiles,
            PlannedStop plannedStop,
            Executor worker,
            Supplier<@Nullable NodeParts> parts) {
        this.environment = environment;
        this.config = config;
        this.memories = memories;
        this.control = control;
        this.chunks = chunks;
        this.lids = lids;
        this.backups = backups;
        this.parkFiles = parkFiles;
        this.plannedStop = plannedStop;
        this.worker = worker;
        this.parts = parts;
    }

    /**
     * Looks for a memory that was parked in the data directory.
     *
     * @return the id of its dump, 0 when there is none
     */
    long findParked() throws IOException {
        ParkManifest found = parkFiles.read().orElse(null);
        asleep = found;
        if (found == null) {
            // What a crash left of a dump: it may be as large as the memory.
            discardParked();
            return 0;
        }
        return found.dumpId();
    }

    private void discardParked() {
        try {
            parkFiles.discardFound();
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("the parked memory in this data directory could not be deleted");
        }
    }

    /** Which chunks this node owns, or null before it has learnt that. */
    @Nullable
    Ownership ownership() {
        return owned;
    }

    /** Whether what was parked is being loaded. */
    boolean isLoading() {
        return loading;
    }

    /** What its chunk memory holds, or nothing before it serves. */
    MemoryStatistics memoryStatistics() {
        return chunks.statistics()
                .orElseGet(() -> new MemoryStatistics(0, 0, 0, 0, 0, 0, config.memoryBytes(), 0, config.memoryBytes()));
    }

    /** The arc has reserved LIDs below a limit. */
    void allowLids(long limit) {
        ChunkMemory opened = memory;
        if (opened != null) {
            opened.reserveLids(limit);
        }
    }

    /** Opens and serves nothing any more. */
    void stop() {
        stopping = true;
    }

    /** Releases the chunk memory, which nobody uses any more. */
    void release() {
        ChunkMemory opened = memory;
        if (opened != null) {
            opened.close();
            memory = null;
        }
    }

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
            worker.execute(this::discardParked);
        }
        ChunkMemory opened = memories.open(memoryConfig);
        memory = opened;
        NodeParts known = Objects.requireNonNull(parts.get());
        known.replication().start(grant.epoch());
        known.replication().add(grant.wantedCopies(), grant.ranges());
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
            new AwayRangesReader(environment.scheduler(), known.keeper().arcs(), ownership, serve).begin();
        }
    }

    private void serve(NodeParts known, ChunkMemory opened, Ownership ownership, long epoch) {
        known.migrations().serve(opened, ownership, epoch);
        known.replication().serve(chunks.content(opened));
        recoverZones(known, opened, ownership, epoch);
        chunks.serve(opened, ownership, known.replication().zones(), epoch);
        plannedStop.serve(new PlannedStop.Site(
                known.identity().clusterId(),
                opened,
                ownership,
                chunks,
                known.replication(),
                known.migrations(),
                backups,
                known.keeper(),
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
        NodeParts known = Objects.requireNonNull(parts.get());
        Ownership ownership = new Ownership(manifest.nid(), manifest.firstLid());
        manifest.known().forEach(ownership::learn);
        Resumption.learn(manifest, chunks.luggage());
        known.replication().start(grant.epoch());
        known.replication().wantCopies(grant.wantedCopies());
        backups.resume();
        manifest.zones().forEach(zone -> known.replication()
                .resume(new ZoneGrant(zone.placement(), zone.ranges(), zone.lastSequence(), false, false)));
        lids.start(grant.firstLid(), grant.lidLimit());
        serve(known, loaded, ownership, grant.epoch());
        LOG.atInfo()
                .addKeyValue("chunks", loaded.statistics().chunks())
                .log("this storage peer goes on where it was parked");
    }

    /** The dump cannot be used: the lease goes back, so that those who have copies take this peer's place. */
    private void lost(Throwable cause) {
        loading = false;
        LeaseKeeper keeper = Objects.requireNonNull(parts.get()).keeper();
        keeper.revoke();
        var _ = keeper.giveBack()
                .thenRunAsync(
                        () -> failed("what was parked on its disk cannot be used: " + cause.getMessage(), cause),
                        environment.scheduler());
    }

    /** Zones of others can be recovered here, and are replicated from then on. */
    private void recoverZones(NodeParts known, ChunkMemory opened, Ownership ownership, long epoch) {
        ZoneTaker taker = new RecoveredZones(known.replication(), known.migrations());
        backups.serve((log, metrics) -> new RecoverySite(
                environment.clock(),
                environment.scheduler(),
                backups.readers(),
                known.rpc(),
                known.keeper().arcs(),
                known.identity().clusterId(),
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
        return Objects.requireNonNull(parts.get()).replication();
    }

    @Override
    public PeerStatistics statistics() {
        MemoryStatistics now = memoryStatistics();
        NodeParts known = parts.get();
        long placeholders = known == null ? 0 : known.migrations().placeholders();
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
