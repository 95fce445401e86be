package dev.granary.storage.replicate;

import dev.granary.env.Confined;
import dev.granary.env.Steps;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.WantedCopies;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.storage.lease.ArcCalls;
import dev.granary.storage.probe.StorageProbe;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Changes the in-sync sets of the zones. Before anything is acknowledged without a failed member, or depends on a
 * filled copy, the arc has committed the change. Has the copies opened in each new epoch (SAFETY rule
 * "acknowledgement").
 *
 * <p>Invariants: (1) for each zone the arc is asked for at most one change at a time, again and again until it answers;
 * (2) members of a zone change only to what the arc has committed at a higher epoch; (3) the arc is never asked to go
 * below a zone's floor: a failed member that is needed stays a member, and writes are refused meanwhile.
 *
 * <p>Methods run as tasks of the scheduler unless their comment says otherwise.
 */
final class MemberChanges {

    private static final Logger LOG = LoggerFactory.getLogger(MemberChanges.class);

    private static final long RETRY_NANOS = 20_000_000;
    private static final long REFUSED_RETRY_NANOS = 200_000_000;

    private final Confined confined = new Confined();
    private final BackupCalls calls;
    private final ArcCalls arcs;
    private final OwnedZones zones;
    private final ReplicationTotals totals;
    private final ByteBufAllocator allocator;
    private final IntFunction<ReplicationStream> streams;
    private final CopyOpenings openings;
    private final Set<Integer> changing = new HashSet<>();

    /** Zones of which the arc has just refused a change; it is not asked again at once, whatever fails meanwhile. */
    private final Set<Integer> refused = new HashSet<>();

    private final Set<Integer> refreshing = new HashSet<>();

    private final Steps steps;

    /** The epoch of this incarnation; 0 before {@link #begin}. */
    private long ownerEpoch;

    /**
     * @param streams finds the stream to a backup
     */
    MemberChanges(
            BackupCalls calls,
            ArcCalls arcs,
            OwnedZones zones,
            ReplicationTotals totals,
            ByteBufAllocator allocator,
            IntFunction<ReplicationStream> streams) {
        this.calls = calls;
        this.arcs = arcs;
        this.zones = zones;
        this.totals = totals;
        this.allocator = allocator;
        this.streams = streams;
        this.steps = new Steps(calls.scheduler(), "member-changes", REFUSED_RETRY_NANOS);
        this.openings = new CopyOpenings(calls, this, steps);
    }

    /**
     * Begins, because the lease is granted.
     *
     * @param epoch the epoch of this incarnation
     */
    void begin(long epoch) {
        ownerEpoch = epoch;
    }

    long ownerEpoch() {
        return ownerEpoch;
    }

    /**
     * Notes that a copy is of no use any more. Called by any thread.
     *
     * @param first whether the copy was of use until now; each request on its way to a silent backup makes this call
     */
    void copyFailed(ZoneCopy copy, String why, boolean first) {
        calls.scheduler().execute(() -> {
            LOG.atLevel(first ? Level.WARN : Level.DEBUG)
                    .addKeyValue("zone", OwnedZones.name(copy.zone.id()))
                    .addKeyValue("backupNid", Nid.toHex(copy.nid()))
                    .log("a backup {}", why);
            change(copy.zone, why);
        });
    }

    /** Notes that a backup knows a higher epoch of a zone. Called by any thread. */
    void fenced(OwnedZone zone) {
        calls.scheduler().execute(() -> refresh(zone.id() >>> 15));
    }

    /**
     * Returns whether the arc is being asked to change the members of a zone. It may have done so without an answer.
     */
    boolean isAsking(OwnedZone zone) {
        assert confined.here() : confined;
        return changing.contains(zone.id());
    }

    /** Asks the arc to change the members of a zone, if they are not those that they should be. */
    void change(OwnedZone zone, String reason) {
        change(zone, null, reason);
    }

    /**
     * Asks the arc to drop a member because its backup has restarted, so that its copy is filled again; not if the zone
     * takes no writes without it, and not if the zone was placed anew since.
     *
     * @param epoch the zone's epoch in which the member is listed as one that has restarted
     */
    void replace(OwnedZone zone, int nid, long epoch) {
        ZoneCopy restarted = null;
        zone.lock();
        try {
            ZoneCopy copy = zone.copyOn(nid);
            if (copy != null && copy.isMember() && zone.placement().epoch() == epoch) {
                restarted = copy;
            }
        } finally {
            zone.unlock();
        }
        if (restarted != null) {
            change(zone, restarted, "its backup has restarted");
        }
    }

    private void change(OwnedZone zone, @Nullable ZoneCopy restarted, String reason) {
        assert confined.here() : confined;
        if (changing.contains(zone.id()) || refused.contains(zone.id())) {
            // The zone is looked at again when the answer is there, or soon.
            return;
        }
        List<Integer> dropped = new ArrayList<>();
        List<Integer> added = new ArrayList<>();
        long epoch;
        boolean without;
        zone.lock();
        try {
            if (zone.isEnded()) {
                return;
            }
            epoch = zone.placement().epoch();
            zone.failedMembers().forEach(copy -> dropped.add(copy.nid()));
            if (restarted != null && !restarted.isFailed()) {
                // Last, as it is the one that stays if too few others keep up.
                dropped.add(restarted.nid());
            }
            for (ZoneCopy copy : zone.copies()) {
                if (!copy.isMember() && copy.isFailed()) {
                    zone.removeCopy(copy);
                } else if (!copy.isMember() && copy.isRequired() && copy.synced >= copy.mustHaveSynced) {
                    added.add(copy.nid());
                }
            }
            int left = zone.memberCount() - dropped.size() + added.size();
            while (!dropped.isEmpty() && left < Math.max(1, zone.floor())) {
                int kept = dropped.removeLast();
                StorageProbe.SILENT_MEMBER_KEPT.hitIf(restarted == null || kept != restarted.nid());
                left++;
            }
            without = zone.mustAskToGoWithout();
        } finally {
            zone.unlock();
        }
        advance(zone);
        if (dropped.isEmpty() && added.isEmpty() && !without) {
            return;
        }
        changing.add(zone.id());
        ChangeCopies request = new ChangeCopies(zone.id(), calls.nid(), ownerEpoch, epoch, dropped, added, reason);
        steps.run(() -> ask(zone, request), () -> askAgain(zone, request, null));
    }

    private void ask(OwnedZone zone, ChangeCopies request) {
        Runnable again = () -> askAgain(zone, request, null);
        arcs.callArc(
                zone.id() >>> 15,
                MessageType.CHANGE_COPIES,
                request,
                reply -> steps.run(() -> answered(zone, request, reply.placement()), again),
                failure -> {
                    LOG.debug("members of {} cannot be changed yet: {}", zone.describe(), failure.getMessage());
                    steps.after(RETRY_NANOS, () -> askAgain(zone, request, failure), again);
                });
    }

    /**
     * Asks again, because the arc has not answered or its answer could not be processed; the arc repeats the answer.
     */
    private void askAgain(OwnedZone zone, ChangeCopies request, @Nullable Throwable failure) {
        if (zone.isEnded() || endIfClosed(zone, failure)) {
            changing.remove(zone.id());
        } else {
            changing.add(zone.id());
            ask(zone, withoutRecovered(zone, request));
        }
    }

    /**
     * Returns what is still to be asked for while the arc has not answered. Members that were silent for a moment and
     * answer again are no longer to be dropped; if the arc has dropped them already its answer says so. A copy that was
     * to be added stays in the request until the arc says that it was not added.
     */
    private static ChangeCopies withoutRecovered(OwnedZone zone, ChangeCopies request) {
        zone.lock();
        try {
            List<Integer> dropped = request.dropped().stream()
                    .filter(nid -> {
                        ZoneCopy copy = zone.copyOn(nid);
                        return copy == null || copy.isFailed();
                    })
                    .toList();
            return new ChangeCopies(
                    request.zone(),
                    request.ownerNid(),
                    request.ownerEpoch(),
                    request.expectedEpoch(),
                    dropped,
                    request.added(),
                    request.reason());
        } finally {
            zone.unlock();
        }
    }

    /** Ends the zone here if the failure says that the arc has closed it, because it has no chunks (ADR 0126). */
    private boolean endIfClosed(OwnedZone zone, @Nullable Throwable failure) {
        boolean unknown = failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.NOT_FOUND;
        if (unknown && zones.spansOf(zone).isEmpty()) {
            StorageProbe.ZONE_CLOSED_BY_ARC.hit();
            zones.end(zone);
            return true;
        }
        return false;
    }

    private void answered(OwnedZone zone, ChangeCopies request, Placement now) {
        assert confined.here() : confined;
        changing.remove(zone.id());
        boolean changed = now.epoch() > request.expectedEpoch();
        adopt(zone, now);
        if (changed) {
            // More members may have failed meanwhile.
            change(zone, request.reason());
            return;
        }
        zone.lock();
        try {
            for (ZoneCopy copy : zone.copies()) {
                if (!copy.isMember() && copy.isRequired() && request.added().contains(copy.nid())) {
                    zone.removeCopy(copy);
                }
            }
        } finally {
            zone.unlock();
        }
        advance(zone);
        refused.add(zone.id());
        steps.after(REFUSED_RETRY_NANOS, () -> {
            refused.remove(zone.id());
            change(zone, request.reason());
        });
    }

    /** Takes over how the arc has placed a zone. */
    void adopt(OwnedZone zone, Placement now) {
        assert confined.here() : confined;
        if (now.owner() != calls.nid() || !now.isServed()) {
            LOG.atWarn()
                    .addKeyValue("zone", OwnedZones.name(zone.id()))
                    .log("this storage peer is not the owner any more");
            zones.end(zone);
            return;
        }
        List<ZoneCopy> closed;
        zone.lock();
        try {
            if (zone.isEnded() || now.epoch() <= zone.placement().epoch()) {
                return;
            }
            // First, because it allocates memory. If that fails nothing has changed yet, and it is tried again.
            restamp(zone, now.epoch());
            zone.place(now);
            closed = place(zone, now);
        } catch (OutOfMemoryError e) {
            LOG.atError()
                    .setCause(e)
                    .addKeyValue("zone", OwnedZones.name(zone.id()))
                    .log("no memory to go on in the next epoch");
            steps.after(REFUSED_RETRY_NANOS, () -> adopt(zone, now));
            return;
        } finally {
            zone.unlock();
        }
        LOG.atInfo()
                .addKeyValue("zone", OwnedZones.name(zone.id()))
                .addKeyValue("epoch", now.epoch())
                .addKeyValue(
                        "backupNids",
                        Arrays.stream(now.backups()).mapToObj(Nid::toHex).toList())
                .log("the backups of a zone have changed");
        advance(zone);
        closed.forEach(openings::open);
        change(zone, "");
    }

    /**
     * Makes the zone's copies those of the placement; each is closed until its backup knows the epoch. With the lock.
     */
    private List<ZoneCopy> place(OwnedZone zone, Placement now) {
        Set<Integer> members = new TreeSet<>();
        Arrays.stream(now.backups()).forEach(members::add);
        for (ZoneCopy copy : zone.copies()) {
            if (members.remove(copy.nid())) {
                copy.becomeMember();
                copy.openEpoch = 0;
                copy.waiting = false;
            } else {
                zone.removeCopy(copy);
                calls.dropCopy(copy, now.epoch());
                StorageProbe.MEMBER_DROPPED.hit();
            }
        }
        for (int nid : members) {
            // This owner has not filled the copy, so the copy cannot have everything.
            ZoneCopy unknown = new ZoneCopy(zone, streams.apply(nid));
            unknown.becomeMember();
            unknown.lose();
            zone.addCopy(unknown);
        }
        // Silent members are opened, too: as long as one is a member nothing is acknowledged without it.
        return Arrays.stream(zone.copies()).filter(copy -> !copy.isBroken()).toList();
    }

    /** Rewrites the epoch of the pending batches, so that members take them again. The caller holds the zone's lock. */
    private void restamp(OwnedZone zone, long epoch) {
        long bytesBefore = zone.pending().bytes();
        zone.pending().replaceAll(batch -> BatchEpoch.change(allocator, batch, epoch));
        totals.added(zone.pending().bytes() - bytesBefore);
    }

    /** Computes again what all members of a zone hold, and sends the replies that need not wait any more. */
    void advance(OwnedZone zone) {
        List<HeldReply> over;
        zone.lock();
        try {
            over = zone.advance();
        } finally {
            zone.unlock();
        }
        OwnedZone.release(over);
    }

    /** Asks a backup to open a copy in the zone's present epoch; once it has, it gets the batches. */
    void open(ZoneCopy copy) {
        openings.open(copy);
    }

    /** Sets how many backups a zone should have at present; {@link WantedCopies#UNKNOWN} changes nothing. */
    void wantCopies(int count) {
        assert confined.here() : confined;
        if (count == totals.wantedCopies() || count == WantedCopies.UNKNOWN) {
            return;
        }
        totals.wantCopies(count);
        for (OwnedZone zone : zones.all()) {
            advance(zone);
            goWithout(zone);
        }
    }

    /** Asks the arc whether a zone may go without copies, if that is what the zone waits for. */
    void goWithout(OwnedZone zone) {
        if (zone.mustAskToGoWithout()) {
            change(zone, "no copies are wanted");
        }
    }

    /** Asks the arc of a creator for the placements of the zones that this peer owns there. */
    void refresh(int creatorNid) {
        assert confined.here() : confined;
        if (refreshing.add(creatorNid)) {
            List<OwnedZone> before = zones.all().stream()
                    .filter(zone -> zone.id() >>> 15 == creatorNid)
                    .toList();
            List<OwnedZone> missing = new ArrayList<>(before);
            steps.run(() -> refresh(creatorNid, 0, missing), () -> refresh(creatorNid, 0, missing));
        }
    }

    private void refresh(int creatorNid, int afterZone, List<OwnedZone> missing) {
        assert confined.here() : confined;
        Runnable again = () -> refresh(creatorNid, afterZone, missing);
        arcs.callArc(
                creatorNid,
                MessageType.LIST_ZONES,
                new ListZones(creatorNid, calls.nid(), afterZone),
                list -> steps.run(() -> refreshed(creatorNid, list, missing), again),
                failure -> steps.after(RETRY_NANOS, again));
    }

    private void refreshed(int creatorNid, ZoneList list, List<OwnedZone> missing) {
        for (Placement placement : list.zones()) {
            OwnedZone zone = zones.byId(placement.zone());
            if (zone != null) {
                missing.remove(zone);
                adopt(zone, placement);
            }
        }
        if (list.nextZone() != 0) {
            refresh(creatorNid, list.nextZone(), missing);
            return;
        }
        refreshing.remove(creatorNid);
        wantCopies(list.wantedCopies());
        missing.forEach(zone -> zones.end(zone));
    }
}
