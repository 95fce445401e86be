package dev.granary.superpeer.arc;

import dev.granary.overlay.Ring;
import dev.granary.superpeer.lease.ArcService;
import dev.granary.superpeer.lease.Leases;
import dev.granary.superpeer.lock.LockService;
import dev.granary.superpeer.migration.MigrationService;
import dev.granary.superpeer.migration.PlanMaker;
import dev.granary.superpeer.migration.PlanService;
import dev.granary.superpeer.name.NameSaver;
import dev.granary.superpeer.name.NameService;
import dev.granary.superpeer.node.ArcCaller;
import dev.granary.superpeer.node.Committer;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.Responsibility;
import dev.granary.superpeer.peer.Loads;
import dev.granary.superpeer.peer.PeerCatalog;
import dev.granary.superpeer.peer.PeerFacts;
import dev.granary.superpeer.placement.ZonePlanner;
import dev.granary.superpeer.restore.RestoreService;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.zone.SlotGroupService;
import dev.granary.superpeer.zone.ZoneService;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The services of an arc during one leadership of this super-peer. The next leadership has new ones, as what only a
 * leader knows ends with its leadership.
 */
public final class ArcServices {

    private final Committer<ArcCommand, ArcResult> committer;
    private final ArcService peers;
    private final NameService names;
    private final NameSaver nameSaver;
    private final LockService locks;
    private final MigrationService migrations;
    private final PlanService plans;
    private final Loads loads;
    private final ZoneService zones;
    private final SlotGroupService slotGroups;
    private final RestoreService restores;

    /**
     * @param ownerNid the super-peer to which the arc belongs
     * @param arcs calls other arcs
     * @param facts what other arcs say of their storage peers
     * @param catalog the storage peers of all arcs
     * @param onLook called whenever leases have been looked at
     * @param room whether the state may become larger
     */
    ArcServices(
            Node node,
            int ownerNid,
            ArcState state,
            Committer<ArcCommand, ArcResult> committer,
            Supplier<@Nullable Ring> ring,
            LongPredicate ringGrownWithinMillis,
            ArcCaller arcs,
            PeerFacts facts,
            PeerCatalog catalog,
            Runnable onLook,
            BooleanSupplier room) {
        this.committer = committer;
        ZonePlanner planner = new ZonePlanner(node, state, catalog);
        loads = new Loads(node);
        peers = new ArcService(
                node, state, committer, new Leases(node, onLook), planner, ring, ringGrownWithinMillis, loads);
        Responsibility responsibility = (request, nid) -> peers.answersFor(request);
        nameSaver = new NameSaver(node, ownerNid, state, arcs, catalog, ring);
        names = new NameService(state, committer::commit, responsibility, ring, nameSaver::changed, room);
        locks = new LockService(node, state, committer::commit, responsibility, room);
        migrations = new MigrationService(node, state, committer::commit, peers, arcs, facts, catalog, planner);
        plans = new PlanService(node, state, committer::commit, peers, arcs, new PlanMaker(state, arcs, ring));
        zones = new ZoneService(node, state, committer::commit, peers, arcs, catalog, planner);
        slotGroups = new SlotGroupService(state, committer::commit, peers, catalog, planner);
        peers.onDeath(zones.recoveries()::look);
        restores = new RestoreService(state, committer::commit, peers, facts, ring);
    }

    /** @param grantedBeforeNanos no other super-peer has granted a lease after this moment */
    void begin(long grantedBeforeNanos) {
        peers.begin(grantedBeforeNanos);
        locks.begin();
        migrations.begin();
        plans.begin();
        zones.begin();
        nameSaver.begin();
    }

    void end() {
        peers.end();
        locks.stop();
        migrations.stop();
        plans.stop();
        zones.stop();
        nameSaver.stop();
    }

    /** Asks a majority to confirm that no other super-peer leads. The future ends when it has. */
    CompletableFuture<Void> confirm() {
        return committer.confirm();
    }

    /** Returns the service for storage peers, their leases and LIDs. */
    public ArcService peers() {
        return peers;
    }

    public NameService names() {
        return names;
    }

    /** Returns the service that keeps copies of names on storage peers. */
    public NameSaver nameSaver() {
        return nameSaver;
    }

    public LockService locks() {
        return locks;
    }

    /** Returns the service that knows how busy storage peers are. */
    public Loads loads() {
        return loads;
    }

    public PlanService plans() {
        return plans;
    }

    public ZoneService zones() {
        return zones;
    }

    public SlotGroupService slotGroups() {
        return slotGroups;
    }

    /** Returns the service that answers cluster backups and restores. */
    public RestoreService restores() {
        return restores;
    }

    public MigrationService migrations() {
        return migrations;
    }
}
