package dev.granary.storage.replicate;

import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import dev.granary.env.Steps;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.FillCopy;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Placement;
import dev.granary.storage.lease.ArcCalls;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replication of what this peer owns: its zones, the streams to their backups, and the classes that handle
 * failures. Tasks of the scheduler add and remove zones; any thread may call the rest.
 */
public final class Replication {

    private static final Logger LOG = LoggerFactory.getLogger(Replication.class);
    private static final long STEP_RETRY_NANOS = 10_000_000;
    private static final long FILL_RETRY_NANOS = 100_000_000;
    private static final long FILL_AGAIN_NANOS = 10_000_000;
    private static final int FILL_TRIES = 20;
    private static final long SETTLE_NANOS = 5_000_000;
    private static final long LOOK_NANOS = 1_000_000_000;
    private static final long HELD_LOOK_NANOS = 50_000_000;
    private static final long RESUME_PATIENCE_NANOS = 10_000_000_000L;

    private final Clock clock;
    private final Scheduler scheduler;
    private final ByteBufAllocator allocator;
    private final ReplicationConfig config;
    private final ReplicationMetrics metrics;
    private final ReplicationTotals totals;
    private final Steps steps;
    private final ShipmentBudget shipments;
    private final TransferBudget transfers;
    private final OwnedZones zones;
    private final PeerAddresses addresses;
    private final BackupCalls calls;
    private final MemberChanges changes;
    private final CopyAnswers answers;
    private final Loop figures;
    private final Loop heldLooks;
    private final CopyChecks checks;
    private final KeptMemberChecks keptMembers;
    private final LostCopyReports lostCopies;
    private final Map<Integer, ReplicationStream> streams = new ConcurrentHashMap<>();
    private final Map<Integer, CopyFill> fills = new TreeMap<>();
    private @Nullable ZoneContent content;
    private long zonesMark;
    private boolean stopped;

    public Replication(
            Clock clock,
            Scheduler scheduler,
            RpcClient rpc,
            RpcIdentity identity,
            ArcCalls arcs,
            ByteBufAllocator allocator,
            ReplicationConfig config,
            ReplicationMetrics metrics) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.allocator = allocator;
        this.config = config;
        this.metrics = metrics;
        ReplicationBounds bounds = config.bounds();
        this.totals = new ReplicationTotals(bounds.pendingBytes());
        this.shipments = new ShipmentBudget(bounds.shippedBytes());
        this.transfers = new TransferBudget(bounds.transferBytes());
        this.zones = new OwnedZones(totals, bounds, new HeldReplies(clock, bounds.heldBytes()));
        this.steps = new Steps(scheduler, "replication", STEP_RETRY_NANOS);
        this.addresses = new PeerAddresses(arcs);
        this.calls = new BackupCalls(clock, scheduler, rpc, identity, addresses, config.timeoutNanos());
        this.changes = new MemberChanges(calls, arcs, zones, totals, allocator, this::streamTo);
        this.answers = new CopyAnswers(clock, config.timeoutNanos(), changes);
        this.checks = new CopyChecks(calls, zones, answers, steps);
        this.keptMembers = new KeptMemberChecks(scheduler, zones, changes);
        this.lostCopies = new LostCopyReports(calls, arcs, zones, changes);
        this.figures = Loop.every(scheduler, "replication-figures", LOOK_NANOS, this::look);
        this.heldLooks = Loop.every(scheduler, "held-answers", HELD_LOOK_NANOS, this::giveUpWaits)
                .vital();
    }

    /** Returns the zones of this peer. */
    public OwnedZones zones() {
        return zones;
    }

    /** Returns the budget for what fills of copies and moves have on their way. */
    public TransferBudget transfers() {
        return transfers;
    }

    public ReplicationConfig config() {
        return config;
    }

    public ReplicationMetrics metrics() {
        return metrics;
    }

    public ByteBufAllocator allocator() {
        return allocator;
    }

    /**
     * Begins, because the lease is granted: from now on this peer can own zones.
     *
     * @param epoch the epoch of this incarnation
     */
    public void start(long epoch) {
        changes.begin(epoch);
        figures.begin();
        heldLooks.begin();
        checks.begin();
        keptMembers.begin();
        lostCopies.begin();
    }

    /**
     * Adds the zones of LIDs that the arc has reserved for this peer.
     *
     * @param wantedCopies how many members a zone should have at present
     * @param ranges the reserved LIDs with their zones; ranges without a zone are left out
     */
    public void add(int wantedCopies, List<CidRange> ranges) {
        wantCopies(wantedCopies);
        Map<Integer, List<CidRange>> byZone = new TreeMap<>();
        for (CidRange range : ranges) {
            if (range.placement().zone() != 0) {
                byZone.computeIfAbsent(range.placement().zone(), any -> new ArrayList<>())
                        .add(range);
            }
        }
        byZone.forEach((zone, of) -> add(new ZoneGrant(of.getFirst().placement(), of, 0, false, true)));
    }

    /** Adds a zone that this peer owns from now on, and replicates it. A zone that is known only gets more ranges. */
    public void add(ZoneGrant grant) {
        OwnedZone known = zones.byId(grant.placement().zone());
        if (known != null) {
            zones.put(known, grant.ranges());
            changes.adopt(known, grant.placement());
            return;
        }
        OwnedZone zone = new OwnedZone(grant.placement(), grant.lastSequence(), grant.fresh(), totals);
        zone.lock();
        try {
            for (int nid : grant.placement().backups()) {
                ZoneCopy copy = new ZoneCopy(zone, streamTo(nid));
                copy.becomeMember();
                copy.acked = grant.lastSequence();
                copy.synced = grant.lastSequence();
                copy.next = grant.lastSequence() + 1;
                copy.openEpoch = grant.opened() ? grant.placement().epoch() : 0;
                zone.addCopy(copy);
            }
            OwnedZone.release(zone.advance());
        } finally {
            zone.unlock();
        }
        zones.put(zone, grant.ranges());
        for (ZoneCopy copy : zone.copies()) {
            if (copy.openEpoch == 0) {
                changes.open(copy);
            }
        }
        changes.goWithout(zone);
    }

    /**
     * Resumes a zone that this peer owned when it was parked. The members were parked as well and may take longer to
     * come back, so they are given time before they count as silent.
     */
    public void resume(ZoneGrant grant) {
        add(grant);
        OwnedZone zone = zones.byId(grant.placement().zone());
        if (zone == null) {
            return;
        }
        zone.lock();
        try {
            for (ZoneCopy copy : zone.copies()) {
                copy.waitFrom(clock.nanoTime() + RESUME_PATIENCE_NANOS);
            }
        } finally {
            zone.unlock();
        }
    }

    /** Returns the zone in which this peer logs chunks that it takes over; null when another peer owns it by now. */
    public @Nullable OwnedZone open(Placement placement) {
        OwnedZone known = zones.byId(placement.zone());
        if (known == null) {
            add(new ZoneGrant(placement, List.of(), 0, false, true));
        } else {
            changes.adopt(known, placement);
        }
        return zones.byId(placement.zone());
    }

    /**
     * Puts a range into a zone of this peer, because the arc has committed that; the commit raised the zone's epoch.
     */
    public void take(OwnedZone zone, long startCid, long endCidInclusive) {
        zones.put(zone, List.of(new CidRange(startCid, endCidInclusive, zone.placement())));
        changes.refresh(zone.id() >>> 15);
    }

    /** Begins to serve: from now on new copies can be filled from {@code served}. */
    public void serve(ZoneContent served) {
        content = served;
    }

    /** Adds the requests that this class answers. */
    public void addTo(RequestTable requests) {
        requests.addTask(MessageType.FILL_COPY, scheduler, this::fill);
    }

    private void fill(RpcRequest request, FillCopy order) {
        String obstacle = stopped ? "this storage peer is stopping" : fill(order, FILL_TRIES);
        if (obstacle == null) {
            request.reply(new Empty());
        } else {
            request.fail(ErrorReply.retryLater(FILL_RETRY_NANOS, obstacle));
        }
    }

    private void fillAgain(FillCopy order, int tries) {
        String obstacle = stopped ? "this storage peer is stopping" : fill(order, tries);
        if (obstacle != null) {
            LOG.atDebug()
                    .addKeyValue("zone", OwnedZones.name(order.zone()))
                    .log("a copy is not being filled yet: {}", obstacle);
        }
    }

    /**
     * Begins to fill a copy, unless such a fill runs, or does so when the placement of the order is known here.
     *
     * @param tries how often it may wait for that, 10 ms each time
     * @return why it is impossible, or null
     */
    private @Nullable String fill(FillCopy order, int tries) {
        OwnedZone zone = zones.byId(order.zone());
        ZoneContent filling = content;
        if (order.ownerEpoch() != changes.ownerEpoch() || filling == null || zone == null) {
            return "this storage peer does not own zone " + OwnedZones.name(order.zone());
        }
        if (order.targetNid() == calls.nid()) {
            return "the owner of a zone is no backup of it";
        }
        if (order.epoch() > zone.placement().epoch()) {
            // The order was faster than the answer of the arc, which has just added another copy.
            if (tries == FILL_TRIES) {
                changes.refresh(zone.id() >>> 15);
            }
            if (tries == 0) {
                return "the zone's placement is being asked for";
            }
            scheduler.schedule(FILL_AGAIN_NANOS, () -> fillAgain(order, tries - 1));
            return null;
        }
        CopyFill running = fills.get(zone.id());
        if (running != null) {
            return running.targetNid() == order.targetNid() ? null : "another copy of the zone is being filled";
        }
        // An order for a member says that it has restarted, or lost its log. It gets its copy again once it is no
        // member.
        changes.replace(zone, order.targetNid(), order.epoch());
        ZoneCopy copy;
        long epoch;
        long base;
        zone.lock();
        try {
            ZoneCopy listed = zone.copyOn(order.targetNid());
            if (listed != null && !isOfNoUse(zone, listed, order)) {
                return null;
            }
            epoch = zone.placement().epoch();
            base = zone.last();
            copy = new ZoneCopy(zone, streamTo(order.targetNid()));
            copy.acked = base;
            copy.next = base + 1;
            zone.addCopy(copy);
            if (listed != null) {
                // Nothing is acknowledged until the copy is a member, as the zone lacks a member of its placement.
                zone.removeCopy(listed);
            }
        } finally {
            zone.unlock();
        }
        addresses.learn(order.targetNid(), order.targetAddress());
        ZoneSnapshot snapshot = new ZoneSnapshot(filling, zone.id(), epoch, base, zones.partsOf(zone));
        CopyFill fill = new CopyFill(
                calls,
                changes,
                transfers,
                metrics,
                copy,
                order.targetAddress(),
                snapshot,
                done -> fills.remove(zone.id()));
        fills.put(zone.id(), fill);
        fill.begin();
        return null;
    }

    /**
     * Returns whether a copy is that of a member which has restarted or lost its log and lacks changes, and which
     * nobody can replace: it stays a member while it is filled again. With the zone's lock.
     */
    private boolean isOfNoUse(OwnedZone zone, ZoneCopy listed, FillCopy order) {
        return listed.isMember()
                && listed.isBroken()
                && order.epoch() == zone.placement().epoch()
                && !changes.isAsking(zone);
    }

    /** Sets how many backups a zone should have at present; {@link WantedCopies#UNKNOWN} changes nothing. */
    public void wantCopies(int count) {
        changes.wantCopies(count);
    }

    /** Returns how many backups a zone should have at present, as far as is known. Called by any thread. */
    public int wantedCopies() {
        return totals.wantedCopies();
    }

    /** Takes the mark of the arc. If it differs from the last one, the arc has changed zones of this peer. */
    public void zonesMark(long mark) {
        if (mark != zonesMark) {
            zonesMark = mark;
            changes.refresh(calls.nid());
        }
    }

    /** Returns whether all backups hold all changes so far, and no copy is being filled. */
    public boolean isSettled() {
        return fills.isEmpty() && zones.all().stream().allMatch(zone -> zone.acked() >= zone.last());
    }

    /** Returns the zones in their present state, for the process that resumes where this one stops. */
    public List<ZoneGrant> grants() {
        return zones.all().stream()
                .map(zone -> new ZoneGrant(
                        zone.placement(),
                        zones.spansOf(zone).stream()
                                .map(span -> new CidRange(span.startCid(), span.endCidInclusive(), zone.placement()))
                                .toList(),
                        zone.last(),
                        false,
                        false))
                .toList();
    }

    /** Returns the bytes of batches that wait for backups. Called by any thread. */
    public long pendingBytes() {
        return totals.pendingBytes();
    }

    /** Returns the bytes of batches that are on their way to backups. Called by any thread. */
    public long shippedBytes() {
        return shipments.bytes();
    }

    /** Asks all arcs for the placements of this peer's zones: they may have changed while the peer had no lease. */
    public void refreshAll() {
        zones.all().stream().map(zone -> zone.id() >>> 15).distinct().forEach(changes::refresh);
    }

    /** Returns a future that completes when all backups hold all changes so far, or when that takes too long. */
    public CompletableFuture<Void> settle() {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        settle(clock.nanoTime() + 2 * config.timeoutNanos(), settled);
        return settled;
    }

    private void settle(long deadlineNanos, CompletableFuture<Void> settled) {
        if (isSettled() || clock.nanoTime() - deadlineNanos >= 0) {
            settled.complete(null);
        } else {
            steps.after(SETTLE_NANOS, () -> settle(deadlineNanos, settled));
        }
    }

    /** Stops replication: nothing is sent any more, and all replies that wait are refused. */
    public void stop() {
        stopped = true;
        figures.stop();
        heldLooks.stop();
        checks.stop();
        keptMembers.stop();
        lostCopies.stop();
        zones.all().forEach(zones::end);
    }

    /** Refuses pending replies that are past their deadline or whose caller is gone. */
    private void giveUpWaits() {
        long now = clock.nanoTime();
        zones.all().forEach(zone -> zone.giveUpWaits(now));
        zones.held().giveUpPauses(now);
        metrics.showHeld(zones.held().bytes());
    }

    private void look() {
        int below = 0;
        for (OwnedZone zone : zones.all()) {
            below += zone.isBelowFloor() ? 1 : 0;
        }
        metrics.show(totals.pendingBytes(), below);
    }

    ReplicationStream streamTo(int nid) {
        return streams.computeIfAbsent(
                nid, any -> new ReplicationStream(nid, calls, answers, shipments, config, metrics, steps));
    }

    BackupCalls calls() {
        return calls;
    }

    PeerAddresses addresses() {
        return addresses;
    }

    MemberChanges changes() {
        return changes;
    }
}
