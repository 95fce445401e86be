package dev.granary.storage.replicate;

import dev.granary.env.Confined;
import dev.granary.env.Futures;
import dev.granary.env.Steps;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ReplicationMessages.CopyFilled;
import dev.granary.net.message.ReplicationMessages.CopyResult;
import dev.granary.net.message.ReplicationMessages.CopyState;
import dev.granary.net.message.ReplicationMessages.FillData;
import dev.granary.net.rpc.RpcException;
import dev.granary.overlay.HostAddress;
import dev.granary.overlay.Nid;
import dev.granary.storage.probe.StorageProbe;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills a new copy of a zone on a backup while writes go on, and then asks the arc to make the backup a member.
 *
 * <pre>
 *  OPENING --opened--> SENDING --all sent--> CATCHING UP --has all acknowledged--> JOINING --has synced--> over: the
 *     |                   |                       |         and all that was sent       |                  arc is asked
 *     +----- the backup fails, the zone's epoch changes, it lags too far: given up ---+
 *                                                        (JOINING: once the arc is not being asked)
 * </pre>
 *
 * <p>Invariants: (1) the base has everything up to the sequence at which the copy was opened, and the copy gets every
 * batch behind that sequence; (2) the arc is asked only when the copy is whole on disk and has everything that was
 * acknowledged, and nothing is acknowledged without the copy from before the arc is asked; (3) a copy that is joining
 * is given up only while the arc is not asked to change the zone's members, because any such request adds the copy; (4)
 * the copy is whole only from the last change on that the base may have, and joins when the members have that change,
 * too: a recovery cannot cut it below (ADR 0253).
 *
 * <p>Tasks of the scheduler.
 */
final class CopyFill {

    private static final Logger LOG = LoggerFactory.getLogger(CopyFill.class);

    private enum Phase {
        /** From OPENING to CATCHING UP. */
        FILLING,
        JOINING,
        /** It is being given up; who waits for its end was not told yet. */
        GIVING_UP,
        OVER
    }

    private static final long RETRY_NANOS = 20_000_000;
    private static final long LOOK_NANOS = 5_000_000;
    private static final int MAX_FAILURES = 50;

    /** The least time from one step to the next, so that a fill leaves room for everything else. */
    private static final long STEP_NANOS = 2_000_000;

    /** A copy that lags this far behind is given up, because the owner must keep what the copy lacks. */
    private static final long MAX_LAG_BYTES = 64L << 20;

    private final Confined confined = new Confined();
    private final BackupCalls calls;
    private final MemberChanges changes;
    private final TransferBudget transfers;
    private final ReplicationMetrics metrics;
    private final OwnedZone zone;
    private final ZoneCopy copy;
    private final HostAddress orderedAddress;
    private final long epoch;
    private final ZoneSnapshot snapshot;
    private final Consumer<CopyFill> onEnd;
    private final Steps steps;
    private int step;
    private int failures;
    private Phase phase = Phase.FILLING;

    /** The room for the step that is being read or sent; null when there is no such step. */
    private TransferBudget.@Nullable Room room;

    /** The last change that the base may have; it is read while the zone changes. */
    private long wholeFrom;

    /** The sequence that the backup held when it was told that the base is complete; it syncs up to there then. */
    private long heldWhenFilled;

    /**
     * @param copy the copy, which was just added to its zone; it counts as holding the base sequence
     * @param orderedAddress the address of the backup when the fill was ordered
     * @param onEnd runs when the copy is a member, or was given up
     */
    CopyFill(
            BackupCalls calls,
            MemberChanges changes,
            TransferBudget transfers,
            ReplicationMetrics metrics,
            ZoneCopy copy,
            HostAddress orderedAddress,
            ZoneSnapshot snapshot,
            Consumer<CopyFill> onEnd) {
        this.calls = calls;
        this.changes = changes;
        this.transfers = transfers;
        this.metrics = metrics;
        this.zone = copy.zone;
        this.copy = copy;
        this.orderedAddress = orderedAddress;
        this.epoch = snapshot.epoch();
        this.snapshot = snapshot;
        this.onEnd = onEnd;
        this.steps = new Steps(calls.scheduler(), "copy-fill", RETRY_NANOS);
    }

    int targetNid() {
        return copy.nid();
    }

    /** Returns where the backup serves now: after a loss of power it may have come back under another address. */
    private HostAddress address() {
        HostAddress known = calls.addressOf(copy.nid());
        return known == null ? orderedAddress : known;
    }

    void begin() {
        assert confined.here() : confined;
        LOG.atInfo()
                .addKeyValue("zone", OwnedZones.name(zone.id()))
                .addKeyValue("backupNid", Nid.toHex(copy.nid()))
                .log("a new copy of a zone is being filled");
        StorageProbe.FILL_BEGUN.hit();
        changes.open(copy);
        steps.run(this::awaitOpened, this::abandon);
    }

    /**
     * Ends the fill because a step has thrown. What the step had read may be lost, so the copy must not become a
     * member. A copy that is joining has everything, and may be a member already: it is kept.
     */
    private void abandon() {
        if (phase == Phase.JOINING) {
            awaitSynced();
        } else if (phase != Phase.OVER) {
            giveUp("a step of it has failed");
        }
    }

    private void tell() {
        if (phase != Phase.OVER) {
            phase = Phase.OVER;
            onEnd.accept(this);
        }
    }

    /** Returns whether the fill goes on. Gives it up when zone or backup have changed, or the copy lags too far. */
    private boolean goesOn() {
        assert confined.here() : confined;
        boolean gone;
        boolean lags;
        zone.lock();
        try {
            gone = copy.gone
                    || copy.isFailed()
                    || zone.isEnded()
                    || zone.placement().epoch() != epoch;
            lags = zone.pending().bytes() > MAX_LAG_BYTES;
        } finally {
            zone.unlock();
        }
        if (phase == Phase.FILLING && (gone || lags)) {
            giveUp(lags ? "it does not keep up" : "the zone or the backup has changed");
        }
        return phase == Phase.FILLING;
    }

    private void awaitOpened() {
        if (!goesOn()) {
            return;
        }
        if (copy.openEpoch == epoch) {
            sendChunks();
        } else {
            steps.after(LOOK_NANOS, this::awaitOpened, this::abandon);
        }
    }

    private void sendChunks() {
        if (!goesOn()) {
            return;
        }
        if (snapshot.isDone()) {
            // Operations from before the copy was opened may not have noted their completion records yet.
            steps.then(snapshot.turnOver(), (done, failure) -> sendRest(), this::abandon);
            return;
        }
        withRoom(() -> {
            byte[] batch = snapshot.nextChunks();
            if (batch == null) {
                freeRoom();
                calls.scheduler().execute(() -> steps.run(this::sendChunks, this::abandon));
            } else {
                send(batch, this::sendChunks);
            }
        });
    }

    private void sendRest() {
        if (!goesOn()) {
            return;
        }
        withRoom(() -> {
            byte[] batch = snapshot.rest();
            if (batch == null) {
                freeRoom();
                noteChanges();
            } else {
                send(batch, this::noteChanges);
            }
        });
    }

    /** Notes which changes the base may have. */
    private void noteChanges() {
        if (!goesOn()) {
            return;
        }
        // An operation may have changed the memory that was read, and not be logged yet.
        steps.then(
                snapshot.turnOver(),
                (done, failure) -> {
                    zone.lock();
                    try {
                        wholeFrom = zone.last();
                    } finally {
                        zone.unlock();
                    }
                    awaitChanges();
                },
                this::abandon);
    }

    /** Waits until the backup holds all changes that the base may have. */
    private void awaitChanges() {
        if (!goesOn()) {
            return;
        }
        boolean held;
        zone.lock();
        try {
            held = copy.acked >= wholeFrom;
        } finally {
            zone.unlock();
        }
        if (held) {
            finish();
        } else {
            steps.after(LOOK_NANOS, this::awaitChanges, this::abandon);
        }
    }

    /** Runs a step that reads chunks, once there is room for what it reads. */
    private void withRoom(Runnable read) {
        CompletableFuture<TransferBudget.Room> granted = transfers.take();
        // Outside the step: the step may throw before it knows of the room, and nobody would give the room back.
        var _ = granted.thenAccept(this::holdRoom);
        steps.then(
                granted,
                (taken, failure) -> {
                    if (goesOn()) {
                        read.run();
                    } else {
                        freeRoom();
                    }
                },
                this::abandon);
    }

    private void holdRoom(TransferBudget.Room taken) {
        room = taken;
        if (phase == Phase.GIVING_UP || phase == Phase.OVER) {
            freeRoom();
        }
    }

    private void freeRoom() {
        TransferBudget.Room taken = room;
        if (taken != null) {
            taken.end();
        }
    }

    private void send(byte[] batch, Runnable then) {
        if (room != null) {
            room.shrinkTo(batch.length);
        }
        FillData header = new FillData(calls.clusterId(), calls.nid(), zone.id(), epoch, step++);
        failures = 0;
        sendStep(header, batch, then);
    }

    private void sendStep(FillData header, byte[] batch, Runnable then) {
        if (!goesOn()) {
            return;
        }
        long sentNanos = calls.nanoTime();
        CompletableFuture<CopyState> sent = calls.fill(address(), copy.nid(), header, batch);
        whenDone(sent, () -> sendStep(header, batch, then), () -> {
            freeRoom();
            long pauseNanos = sentNanos + STEP_NANOS - calls.nanoTime();
            steps.after(pauseNanos, then, this::abandon);
        });
    }

    private void finish() {
        assert confined.here() : confined;
        if (!goesOn()) {
            return;
        }
        CopyFilled filled = new CopyFilled(calls.clusterId(), calls.nid(), zone.id(), epoch, step, wholeFrom);
        zone.lock();
        try {
            heldWhenFilled = copy.acked;
        } finally {
            zone.unlock();
        }
        CompletableFuture<CopyState> sent =
                calls.call(address(), copy.nid(), MessageType.COPY_FILLED, filled, 4 * calls.timeoutNanos());
        whenDone(sent, this::finish, this::join);
    }

    private void whenDone(CompletableFuture<CopyState> sent, Runnable again, Runnable then) {
        steps.then(
                sent,
                (state, failure) -> {
                    if (!goesOn()) {
                        return;
                    }
                    if (state != null && state.result() == CopyResult.OK) {
                        then.run();
                    } else {
                        failed(state, failure, again);
                    }
                },
                this::abandon);
    }

    private void failed(@Nullable CopyState state, @Nullable Throwable failure, Runnable again) {
        boolean busy = state != null && state.result() == CopyResult.BUSY;
        boolean silent = Futures.causeIfAny(failure) instanceof RpcException;
        failures++;
        if (silent) {
            calls.askAddress(copy.nid());
        }
        if ((busy || silent) && failures <= MAX_FAILURES) {
            StorageProbe.FILL_STEP_SENT_AGAIN.hit();
            steps.after(RETRY_NANOS, again, this::abandon);
        } else {
            giveUp(state == null ? "the backup does not answer" : "the backup answers " + state.result());
        }
    }

    /**
     * Makes answers wait for the copy, too, as soon as it has everything that was acknowledged, and no member that may
     * count in a recovery lacks what the copy was filled with.
     */
    private void join() {
        assert confined.here() : confined;
        if (!goesOn()) {
            return;
        }
        zone.lock();
        try {
            if (copy.acked >= zone.acked() && zone.doMembersHold(wholeFrom)) {
                // Only here: from now on the answers of the backup say what it has synced.
                copy.syncedUpTo(heldWhenFilled);
                copy.join();
                phase = Phase.JOINING;
                // The copy counts only when its disk has what was promised as synced. No more is promised without it.
                copy.mustHaveSynced = Math.min(zone.synced(), zone.lastToSync());
            }
        } finally {
            zone.unlock();
        }
        copy.stream.syncs().pump();
        if (phase == Phase.JOINING) {
            awaitSynced();
        } else {
            steps.after(LOOK_NANOS, this::join, this::abandon);
        }
    }

    /** Asks the arc to add the copy once it has synced what it must, unless another request has already added it. */
    private void awaitSynced() {
        assert confined.here() : confined;
        if (phase == Phase.OVER) {
            return;
        }
        boolean gone;
        boolean failed;
        boolean ready;
        zone.lock();
        try {
            gone = copy.gone;
            failed = copy.isFailed() || zone.pending().bytes() > MAX_LAG_BYTES;
            ready = copy.isMember() || (!failed && copy.synced >= copy.mustHaveSynced);
        } finally {
            zone.unlock();
        }
        if (gone || (failed && !ready && !changes.isAsking(zone))) {
            giveUp(gone ? "the zone or the backup has changed" : "the backup fails, or does not keep up");
        } else if (ready) {
            filled();
        } else {
            steps.after(LOOK_NANOS, this::awaitSynced);
        }
    }

    private void filled() {
        changes.change(zone, "");
        LOG.atInfo()
                .addKeyValue("zone", OwnedZones.name(zone.id()))
                .addKeyValue("backupNid", Nid.toHex(copy.nid()))
                .addKeyValue("chunks", snapshot.chunks())
                .log("a new copy of a zone is filled");
        metrics.filled();
        StorageProbe.FILL_FINISHED.hit();
        tell();
    }

    private void giveUp(String why) {
        assert confined.here() : confined;
        StorageProbe.FILL_GIVEN_UP.hit();
        phase = Phase.GIVING_UP;
        freeRoom();
        LOG.atInfo()
                .addKeyValue("zone", OwnedZones.name(zone.id()))
                .addKeyValue("backupNid", Nid.toHex(copy.nid()))
                .log("a new copy of a zone is given up: {}", why);
        boolean mine;
        zone.lock();
        try {
            mine = !copy.gone;
            if (mine) {
                zone.removeCopy(copy);
            }
        } finally {
            zone.unlock();
        }
        if (mine) {
            calls.dropCopy(copy, epoch);
            changes.advance(zone);
        }
        tell();
    }
}
