package dev.granary.storage.replicate;

import dev.granary.env.Confined;
import dev.granary.env.Steps;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.CopyStates;
import dev.granary.net.message.ReplicationMessages.OpenCopies;
import dev.granary.net.message.ZoneMessages.ChangeCopies;
import dev.granary.net.message.ZoneMessages.ListZones;
import dev.granary.net.message.ZoneMessages.ZoneList;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.storage.probe.StorageProbe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Changes the in-sync sets of the zones. Before anything is acknowledged without a failed member, or depends on a
 * filled copy, the arc has committed the change. Opens the copies in each new epoch (SAFETY rules "acknowledgement",
 * "fencing at the backups").
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
    private static final int MAX_OPENED_AT_ONCE = 256;

    /** A backup that answers but has not opened a copy within this time is of no use. */
    private static final long OPEN_LIMIT_NANOS = 20_000_000_000L;

    private final Confined confined = new Confined();
    private final Replication replication;
    private final Set<Integer> changing = new HashSet<>();
    private final Set<Integer> refreshing = new HashSet<>();

    /** Copies that are to be opened, by the NID of the backup. */
    private final TreeMap<Integer, List<ZoneCopy>> toOpen = new TreeMap<>();

    private final Steps steps;

    MemberChanges(Replication replication) {
        this.replication = replication;
        this.steps = new Steps(replication.scheduler(), "member-changes", REFUSED_RETRY_NANOS);
    }

    /**
     * Notes that a copy is of no use any more. Called by any thread.
     *
     * @param first whether the copy was of use until now; each request on its way to a silent backup makes this call
     */
    void copyFailed(ZoneCopy copy, String why, boolean first) {
        replication.scheduler().execute(() -> {
            LOG.atLevel(first ? Level.WARN : Level.DEBUG)
                    .addKeyValue("zone", OwnedZones.name(copy.zone.id()))
                    .addKeyValue("backup", Nid.toHex(copy.nid()))
                    .log("a backup {}", why);
            change(copy.zone, why);
        });
    }

    /** Notes that a backup knows a higher epoch of a zone. Called by any thread. */
    void fenced(OwnedZone zone) {
        replication.scheduler().execute(() -> refresh(zone.id() >>> 15));
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
        assert confined.here() : confined;
        if (changing.contains(zone.id())) {
            // The zone is looked at again when the answer is there.
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
            for (ZoneCopy copy : zone.copies()) {
                if (!copy.isMember() && copy.isFailed()) {
                    zone.removeCopy(copy);
                } else if (!copy.isMember() && copy.isRequired() && copy.synced >= copy.mustHaveSynced) {
                    added.add(copy.nid());
                }
            }
            int left = zone.memberCount() - dropped.size() + added.size();
            while (!dropped.isEmpty() && left < Math.max(1, zone.floor())) {
                dropped.removeLast();
                StorageProbe.SILENT_MEMBER_KEPT.hit();
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
        ChangeCopies request =
                new ChangeCopies(zone.id(), replication.nid(), replication.ownerEpoch(), epoch, dropped, added, reason);
        steps.run(() -> ask(zone, request), () -> askAgain(zone, request, null));
    }

    private void ask(OwnedZone zone, ChangeCopies request) {
        Runnable again = () -> askAgain(zone, request, null);
        replication
                .arcs()
                .callArc(
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
        if (unknown && replication.zones().spansOf(zone).isEmpty()) {
            StorageProbe.ZONE_CLOSED_BY_ARC.hit();
            replication.zones().end(zone);
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
        steps.after(REFUSED_RETRY_NANOS, () -> change(zone, request.reason()));
    }

    /** Takes over how the arc has placed a zone. */
    void adopt(OwnedZone zone, Placement now) {
        assert confined.here() : confined;
        if (now.owner() != replication.nid() || !now.isServed()) {
            LOG.atWarn()
                    .addKeyValue("zone", OwnedZones.name(zone.id()))
                    .log("this storage peer is not the owner any more");
            replication.zones().end(zone);
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
                        "members",
                        Arrays.stream(now.backups()).mapToObj(Nid::toHex).toList())
                .log("the backups of a zone have changed");
        advance(zone);
        closed.forEach(this::open);
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
                replication.dropCopy(copy, now.epoch());
                StorageProbe.MEMBER_DROPPED.hit();
            }
        }
        for (int nid : members) {
            // This owner has not filled the copy, so the copy cannot have everything.
            ZoneCopy unknown = new ZoneCopy(zone, replication.streamTo(nid));
            unknown.becomeMember();
            unknown.breakDown();
            zone.addCopy(unknown);
        }
        // Silent members are opened, too: as long as one is a member nothing is acknowledged without it.
        return Arrays.stream(zone.copies()).filter(copy -> !copy.isBroken()).toList();
    }

    /** Rewrites the epoch of the pending batches, so that members take them again. The caller holds the zone's lock. */
    private void restamp(OwnedZone zone, long epoch) {
        long bytesBefore = zone.pending().bytes();
        zone.pending().replaceAll(batch -> BatchEpoch.change(replication.allocator(), batch, epoch));
        replication.totals().added(zone.pending().bytes() - bytesBefore);
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
        assert confined.here() : confined;
        if (toOpen.isEmpty()) {
            replication.scheduler().execute(this::openAll);
        }
        toOpen.computeIfAbsent(copy.nid(), nid -> new ArrayList<>()).add(copy);
    }

    private void openAll() {
        TreeMap<Integer, List<ZoneCopy>> all = new TreeMap<>(toOpen);
        toOpen.clear();
        all.forEach((nid, copies) -> {
            for (int from = 0; from < copies.size(); from += MAX_OPENED_AT_ONCE) {
                List<ZoneCopy> part = copies.subList(from, Math.min(copies.size(), from + MAX_OPENED_AT_ONCE));
                steps.run(() -> open(nid, part), () -> part.forEach(this::open));
            }
        });
    }

    private void open(int nid, List<ZoneCopy> copies) {
        assert confined.here() : confined;
        HostAddress address = replication.addresses().find(nid);
        if (address == null) {
            replication.addresses().ask(nid, () -> {});
            openingFailed(copies, "has no address");
            StorageProbe.BACKUP_WITHOUT_ADDRESS.hit();
            return;
        }
        long now = replication.clock().nanoTime();
        List<ZoneCopy> asked = new ArrayList<>();
        List<OpenCopies.Opening> wanted = new ArrayList<>();
        for (ZoneCopy copy : copies) {
            OwnedZone zone = copy.zone;
            zone.lock();
            try {
                if (!copy.gone) {
                    copy.waitFrom(now);
                    asked.add(copy);
                    wanted.add(new OpenCopies.Opening(
                            zone.id(),
                            zone.placement().epoch(),
                            Arrays.stream(zone.placement().backups()).boxed().toList(),
                            copy.isMember() ? zone.cutToHeld(copy) : copy.acked,
                            !copy.isMember()));
                }
            } finally {
                zone.unlock();
            }
        }
        if (asked.isEmpty()) {
            return;
        }
        BackupSyncs disk = asked.getFirst().stream.syncs();
        disk.beginDiskWait();
        boolean[] waits = {true};
        Runnable heard = () -> {
            if (waits[0]) {
                waits[0] = false;
                disk.endDiskWait();
            }
        };
        Consumer<@Nullable Throwable> failed = failure -> {
            replication.addresses().ask(nid, () -> {});
            openingFailed(asked, failure == null ? "does not answer" : "does not answer: " + failure.getMessage());
        };
        CompletableFuture<CopyStates> answer = replication
                .rpc()
                .call(
                        address,
                        nid,
                        MessageType.OPEN_COPIES,
                        new OpenCopies(replication.clusterId(), replication.nid(), wanted),
                        2 * replication.config().timeoutNanos());
        steps.then(
                answer,
                (reply, failure) -> {
                    heard.run();
                    if (reply == null) {
                        failed.accept(failure);
                    } else if (reply.copies().size() != asked.size()) {
                        failed.accept(null);
                    } else {
                        for (int i = 0; i < asked.size(); i++) {
                            opened(asked.get(i), wanted.get(i), reply.copies().get(i));
                        }
                    }
                },
                () -> {
                    heard.run();
                    asked.forEach(this::open);
                });
    }

    private void opened(ZoneCopy copy, OpenCopies.Opening wanted, CopyState state) {
        assert confined.here() : confined;
        boolean fenced = false;
        boolean again = false;
        boolean first = false;
        String failure = null;
        copy.zone.lock();
        try {
            // Openings are sent again: a late answer may tell what the backup had before it took more.
            if (copy.gone || wanted.epoch() != copy.zone.placement().epoch() || copy.openEpoch == wanted.epoch()) {
                StorageProbe.LATE_OPENING_IGNORED.hit();
                return;
            }
            boolean whole = state.lastSequence() >= wanted.baseSequence()
                    && state.lastSequence() + 1 >= copy.zone.pending().first();
            if (state.result() == CopyResult.OK && whole) {
                copy.openEpoch = wanted.epoch();
                copy.acked = Math.min(state.lastSequence(), copy.zone.last());
                copy.synced = Math.min(copy.synced, copy.acked);
                copy.holds(copy.acked, replication.clock().nanoTime());
                copy.syncedUpTo(copy.synced);
                copy.rewind();
            } else if (state.result() == CopyResult.FENCED && state.epoch() > wanted.epoch()) {
                fenced = true;
                StorageProbe.OPENING_FENCED.hit();
            } else if (state.result() == CopyResult.BUSY) {
                again = true;
            } else {
                failure =
                        state.result() == CopyResult.OK ? "has lost changes that it had" : "answers " + state.result();
                first = copy.breakDown();
                StorageProbe.MEMBER_LOST_CHANGES.hit();
            }
        } finally {
            copy.zone.unlock();
        }
        advance(copy.zone);
        copy.stream.syncs().heard();
        copy.stream.pump();
        if (fenced) {
            refresh(copy.zone.id() >>> 15);
        } else if (failure != null) {
            copyFailed(copy, failure, first);
        } else if (again) {
            steps.after(RETRY_NANOS, () -> open(copy));
        }
    }

    private void openingFailed(List<ZoneCopy> copies, String why) {
        assert confined.here() : confined;
        long now = replication.clock().nanoTime();
        for (ZoneCopy copy : copies) {
            boolean overdue;
            boolean first = false;
            copy.zone.lock();
            try {
                if (copy.gone || copy.openEpoch == copy.zone.placement().epoch()) {
                    continue;
                }
                copy.waitFrom(now);
                // Opening a copy waits for the backup's disk, which may be slow. Any answer shows that it is there.
                overdue = copy.isOverdue(now, OPEN_LIMIT_NANOS)
                        || (copy.isOverdue(now, replication.config().timeoutNanos())
                                && copy.stream.syncs().isSilent());
                first = overdue && copy.fail();
            } finally {
                copy.zone.unlock();
            }
            if (overdue) {
                advance(copy.zone);
                copyFailed(copy, why, first);
            }
            steps.after(RETRY_NANOS, () -> open(copy));
        }
    }

    /** Asks the arc of a creator for the placements of the zones that this peer owns there. */
    void refresh(int creatorNid) {
        assert confined.here() : confined;
        if (refreshing.add(creatorNid)) {
            List<OwnedZone> before = replication.zones().all().stream()
                    .filter(zone -> zone.id() >>> 15 == creatorNid)
                    .toList();
            List<OwnedZone> missing = new ArrayList<>(before);
            steps.run(() -> refresh(creatorNid, 0, missing), () -> refresh(creatorNid, 0, missing));
        }
    }

    private void refresh(int creatorNid, int afterZone, List<OwnedZone> missing) {
        assert confined.here() : confined;
        Runnable again = () -> refresh(creatorNid, afterZone, missing);
        replication
                .arcs()
                .callArc(
                        creatorNid,
                        MessageType.LIST_ZONES,
                        new ListZones(creatorNid, replication.nid(), afterZone),
                        list -> steps.run(() -> refreshed(creatorNid, list, missing), again),
                        failure -> steps.after(RETRY_NANOS, again));
    }

    private void refreshed(int creatorNid, ZoneList list, List<OwnedZone> missing) {
        for (Placement placement : list.zones()) {
            OwnedZone zone = replication.zones().byId(placement.zone());
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
        replication.wantCopies(list.wantedCopies());
        missing.forEach(zone -> replication.zones().end(zone));
    }
}
