package dev.granary.storage.recover;

import dev.granary.env.Confined;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.FetchCopy;
import dev.granary.net.message.FetchedCopy;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeList;
import dev.granary.net.message.Recovered;
import dev.granary.net.message.RunRecovery;
import dev.granary.net.message.RunRecoveryReply;
import dev.granary.net.message.ZonePlacement;
import dev.granary.net.message.ZoneRanges;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.storage.probe.StorageProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt to recover one zone here. Tasks of the scheduler; what takes long is handed to the workers, one piece at a
 * time.
 *
 * <pre>
 *  spans known --> replayed --> the other members agree on the tail --> the arc commits --> LIDs are freed --> served
 *                     | damaged: from another member; none has it whole: said so, or accepted if the order has it so
 *                     | no room, or the arc has another owner: taken out of memory again
 * </pre>
 *
 * <p>Invariants: (1) the arc is told only when everything is in memory; (2) the zone is served only when the arc has
 * committed this peer as its owner, and when there is nothing in memory any more that only looks like a chunk of it; (3)
 * whatever else becomes of it leaves nothing in memory; (4) the other members are asked to cut what was not acknowledged
 * before the arc is told. One that does not answer for {@link #AGREE_NANOS} is not waited for: nothing is acknowledged
 * before it has cut its tail, or is no member any more (ADR 0107).
 */
final class ZoneRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(ZoneRecovery.class);

    private static final long AGREE_NANOS = 300_000_000;
    private static final long RETRY_NANOS = 50_000_000;
    private static final long FETCH_TIMEOUT_NANOS = 10_000_000_000L;
    private static final int FETCH_ATTEMPTS = 40;

    private final Confined confined = new Confined();
    private final RecoverySite site;
    private final RunRecovery.Zone order;
    private final Recoveries recoveries;
    private final List<RunRecovery.Span> spanList;
    private final Set<Integer> toAgree = new TreeSet<>();
    private final HeldSpans held;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private Spans spans = new Spans(List.of());
    private @Nullable ZoneReplay replay;
    private RunRecoveryReply.State state = RunRecoveryReply.State.RUNNING;
    private String note = "";
    private boolean cancelled;
    private boolean owned;
    private boolean working;
    private CompletableFuture<Void> idle = CompletableFuture.completedFuture(null);
    private boolean ready;
    private boolean telling;
    private boolean damaged;
    private boolean opened = true;
    private boolean fetchedDamaged;

    ZoneRecovery(RecoverySite site, RunRecovery.Zone order, Recoveries recoveries) {
        this.site = site;
        this.order = order;
        this.recoveries = recoveries;
        this.held = new HeldSpans(site);
        this.spanList = new ArrayList<>(order.spans());
        others().forEach(member -> toAgree.add(member.nid()));
    }

    int zone() {
        return order.zone();
    }

    long epoch() {
        return order.epoch();
    }

    RunRecovery.Zone order() {
        return order;
    }

    /** The members beside this peer. */
    List<RunRecovery.Member> others() {
        return order.members().stream()
                .filter(member -> member.nid() != site.nid())
                .toList();
    }

    boolean isRunning() {
        return state == RunRecoveryReply.State.RUNNING;
    }

    RunRecoveryReply.Zone progress() {
        ZoneReplay present = replay;
        return new RunRecoveryReply.Zone(
                zone(),
                epoch(),
                state,
                present == null ? 0 : present.chunks(),
                present == null ? 0 : present.bytes(),
                note);
    }

    /** Asks for the spans that did not fit into the order, then waits for its turn. */
    void begin() {
        assert confined.here() : confined;
        site.metrics().began();
        StorageProbe.RECOVERY_BEGUN.hit();
        askSpans(order.nextCid());
    }

    private void askSpans(long nextCid) {
        if (nextCid == 0) {
            spans = new Spans(spanList);
            waitForMoves();
            return;
        }
        site.arcs()
                .callArc(
                        BackupZone.creatorOf(zone()),
                        MessageType.ZONE_RANGES,
                        new ZoneRanges(zone(), nextCid),
                        this::spansCame,
                        failure -> site.scheduler().schedule(RETRY_NANOS, () -> {
                            if (!endIfCancelled()) {
                                askSpans(nextCid);
                            }
                        }));
    }

    /**
     * What was on its way here from the owner that is gone is taken out of memory first: the arc has ended these moves, but
     * this peer may not have heard of that yet, and would take out what was recovered instead.
     */
    private void waitForMoves() {
        boolean moving = false;
        for (int i = 0; i < spans.count() && !moving; i++) {
            moving = site.ownership().isInTransition(spans.start(i), spans.endInclusive(i));
        }
        if (!moving) {
            recoveries.whenFree(this);
            return;
        }
        site.scheduler().schedule(RETRY_NANOS, () -> {
            if (!endIfCancelled()) {
                waitForMoves();
            }
        });
    }

    private void spansCame(RangeList ranges) {
        assert confined.here() : confined;
        if (endIfCancelled()) {
            return;
        }
        for (CidRange range : ranges.ranges()) {
            spanList.add(new RunRecovery.Span(range.startCid(), range.endCidInclusive()));
        }
        askSpans(ranges.nextCid());
    }

    /** Begins to replay; {@link Recoveries#freed} follows. */
    void run() {
        assert confined.here() : confined;
        if (cancelled) {
            recoveries.freed();
            end(RunRecoveryReply.State.FAILED, "another attempt has begun", "failed");
            return;
        }
        ZoneReplay begun = new ZoneReplay(site, order, spans);
        replay = begun;
        work(begun::replay, this::replayed);
    }

    /** Has a worker do a piece, unless the attempt is over by then. */
    private void work(Supplier<ZoneReplay.Outcome> piece, Consumer<ZoneReplay.Outcome> done) {
        if (recoveries.isStopped()) {
            end(RunRecoveryReply.State.FAILED, "this storage peer is stopping", "failed");
            return;
        }
        begunWork();
        site.workers().execute(() -> {
            ZoneReplay.Outcome outcome = null;
            RuntimeException failure = null;
            try {
                outcome = piece.get();
            } catch (RuntimeException e) {
                failure = e;
            }
            ZoneReplay.Outcome result = outcome;
            RuntimeException thrown = failure;
            site.scheduler().execute(() -> {
                endedWork();
                if (result == null) {
                    LOG.atError().setCause(thrown).log("zone {} cannot be recovered here", zone());
                    giveUp(RunRecoveryReply.State.FAILED, String.valueOf(thrown), "failed");
                } else if (cancelled) {
                    giveUp(RunRecoveryReply.State.FAILED, "another attempt has begun", "failed");
                } else {
                    done.accept(result);
                }
            });
        });
    }

    private void begunWork() {
        working = true;
        idle = new CompletableFuture<>();
    }

    private void endedWork() {
        working = false;
        idle.complete(null);
    }

    private ZoneReplay present() {
        ZoneReplay present = replay;
        if (present == null) {
            throw new IllegalStateException("zone " + zone() + " is not being replayed");
        }
        return present;
    }

    private void replayed(ZoneReplay.Outcome outcome) {
        assert confined.here() : confined;
        switch (outcome) {
            case COMPLETE -> inMemory();
            case NO_ROOM -> giveUp(RunRecoveryReply.State.NO_ROOM, "there is no room in memory", "no_room");
            case DAMAGED -> {
                LOG.atWarn().addKeyValue("zone", zone()).log("the own copy of a zone is damaged or not whole");
                StorageProbe.OWN_COPY_DAMAGED.hit();
                fetchFrom(0);
            }
        }
    }

    /**
     * Takes another member's copy, the next one's when that does not work, and at last what the own one has, if the order
     * accepts that. Otherwise members that have not been heard of may have all of it: this peer must not decide that it is
     * lost.
     */
    private void fetchFrom(int index) {
        ZoneReplay present = present();
        List<RunRecovery.Member> members = others();
        if (index >= members.size() && !order.acceptDamage() && site.log().zone(zone()) != null) {
            giveUp(RunRecoveryReply.State.DAMAGED, "the copy of this storage peer cannot be read", "unreadable");
            return;
        }
        if (index >= members.size()) {
            damaged = true;
            work(
                    () -> {
                        present.discard();
                        return present.replay();
                    },
                    this::acceptDamaged);
            return;
        }
        fetchedDamaged = false;
        work(
                () -> {
                    present.discard();
                    return ZoneReplay.Outcome.COMPLETE;
                },
                done -> fetch(members.get(index), index, 0, FETCH_ATTEMPTS));
    }

    private void acceptDamaged(ZoneReplay.Outcome outcome) {
        if (outcome == ZoneReplay.Outcome.NO_ROOM) {
            giveUp(RunRecoveryReply.State.NO_ROOM, "there is no room in memory", "no_room");
        } else if (site.log().zone(zone()) == null) {
            giveUp(RunRecoveryReply.State.FAILED, "there is no copy here", "failed");
        } else {
            inMemory();
        }
    }

    private void fetch(RunRecovery.Member member, int index, long cursor, int attempts) {
        if (endIfCancelled()) {
            return;
        }
        FetchCopy wanted = new FetchCopy(site.clusterId(), zone(), epoch(), order.lastSequence(), cursor);
        var _ = site.rpc()
                .call(member.address(), member.nid(), MessageType.FETCH_COPY, wanted, FETCH_TIMEOUT_NANOS)
                .whenCompleteAsync(
                        (part, failure) -> {
                            if (part != null) {
                                fetched(member, index, part);
                            } else if (isBusy(failure) && attempts > 0) {
                                site.scheduler()
                                        .schedule(RETRY_NANOS, () -> fetch(member, index, cursor, attempts - 1));
                            } else {
                                LOG.atWarn()
                                        .addKeyValue("zone", zone())
                                        .addKeyValue("member", Nid.toHex(member.nid()))
                                        .setCause(failure)
                                        .log("the copy of another member cannot be fetched");
                                fetchFrom(index + 1);
                            }
                        },
                        site.scheduler());
    }

    private static boolean isBusy(@Nullable Throwable failure) {
        return failure instanceof RemoteErrorException remote && remote.reply().code() == ErrorCode.RETRY_LATER;
    }

    private void fetched(RunRecovery.Member member, int index, FetchedCopy part) {
        StorageProbe.COPY_FETCHED.hit();
        fetchedDamaged |= part.damaged();
        ZoneReplay present = present();
        boolean last = part.nextCursor() == 0;
        work(() -> present.take(part.batches().bytes(), last), outcome -> {
            if (outcome == ZoneReplay.Outcome.NO_ROOM) {
                giveUp(RunRecoveryReply.State.NO_ROOM, "there is no room in memory", "no_room");
            } else if (outcome == ZoneReplay.Outcome.DAMAGED || (last && fetchedDamaged)) {
                fetchFrom(index + 1);
            } else if (last) {
                inMemory();
            } else {
                fetch(member, index, part.nextCursor(), FETCH_ATTEMPTS);
            }
        });
    }

    private void inMemory() {
        recoveries.freed();
        ready = true;
        site.scheduler().schedule(AGREE_NANOS, () -> tell(true));
        tell(false);
    }

    /** A member has answered. */
    void agreed(int nid, boolean cut) {
        opened &= cut;
        toAgree.remove(nid);
        tell(false);
    }

    /** Whether a member is still to be asked. */
    boolean needs(int nid) {
        return isRunning() && !cancelled && toAgree.contains(nid);
    }

    private void tell(boolean waitedLong) {
        if (!ready || telling || !isRunning() || endIfCancelled()) {
            return;
        }
        if (!toAgree.isEmpty() && !waitedLong) {
            return;
        }
        StorageProbe.RECOVERY_WITHOUT_A_MEMBER.hitIf(!toAgree.isEmpty());
        opened &= toAgree.isEmpty();
        telling = true;
        held.hold(spanList);
        ask();
    }

    private void ask() {
        ZoneReplay present = present();
        site.arcs()
                .callArc(
                        BackupZone.creatorOf(zone()),
                        MessageType.RECOVERED,
                        new Recovered(
                                zone(), epoch(), site.nid(), site.epoch(), present.chunks(), present.bytes(), damaged),
                        this::committed,
                        failure -> site.scheduler().schedule(RETRY_NANOS, () -> {
                            if (!endIfCancelled()) {
                                ask();
                            }
                        }));
    }

    private void committed(ZonePlacement reply) {
        assert confined.here() : confined;
        if (endIfCancelled()) {
            return;
        }
        Placement placement = reply.placement();
        if (placement.owner() != site.nid() || placement.epoch() < epoch()) {
            giveUp(RunRecoveryReply.State.FAILED, "another peer owns the zone", "other_owner");
            return;
        }
        owned = true;
        if (present().hasPlaceholders()) {
            freeLids(placement);
        } else {
            serve(placement);
        }
    }

    /**
     * A placeholder looks like an empty chunk, so it goes before anybody may see it. Then its LID could be given to a new chunk
     * which nobody logs yet: creates wait meanwhile.
     */
    private void freeLids(Placement placement) {
        held.holdCreates(spanList);
        var _ = site.turnOver().get().thenRunAsync(() -> freeSomeLids(placement), site.scheduler());
    }

    /** In small pieces, and not by the workers: who waits must not wait for the disk, which others are reading. */
    private void freeSomeLids(Placement placement) {
        if (recoveries.isStopped()) {
            end(RunRecoveryReply.State.FAILED, "this storage peer is stopping", "failed");
        } else if (!present().freeSomeLids()) {
            site.scheduler().execute(() -> freeSomeLids(placement));
        } else {
            spanList.forEach(span -> site.zones().returned(span.startCid(), span.endCidInclusive()));
            serve(placement);
        }
    }

    private void serve(Placement placement) {
        assert confined.here() : confined;
        List<CidRange> ranges = spanList.stream()
                .map(span -> new CidRange(span.startCid(), span.endCidInclusive(), placement))
                .toList();
        // The zone before its chunks: what is changed in them must be logged.
        site.zones().take(placement, ranges, order.lastSequence(), opened && placement.epoch() == epoch());
        ranges.forEach(range -> site.ownership().learn(range));
        LOG.atInfo()
                .addKeyValue("zone", zone())
                .addKeyValue("epoch", placement.epoch())
                .addKeyValue("chunks", present().chunks())
                .addKeyValue("damaged", damaged)
                .log("this storage peer has recovered a zone and owns it");
        StorageProbe.ZONE_RECOVERED.hit();
        end(RunRecoveryReply.State.DONE, damaged ? "something could not be read" : "", damaged ? "damaged" : "owned");
    }

    /** Leaves memory alone from now on; completes when it does. */
    CompletableFuture<Void> stop() {
        cancelled = true;
        return idle;
    }

    /** Completes when the attempt is over and no worker has to do with it. */
    CompletableFuture<Void> whenIdle() {
        return over.thenCompose(done -> idle);
    }

    /**
     * Ends the attempt, unless it has succeeded.
     *
     * @return completes when nothing of it is in memory any more, or it has succeeded
     */
    CompletableFuture<Void> cancel() {
        cancelled = true;
        if (isRunning() && ready && !working && !owned) {
            giveUp(RunRecoveryReply.State.FAILED, "another attempt has begun", "failed");
        }
        return over;
    }

    private boolean endIfCancelled() {
        if (!cancelled || !isRunning()) {
            return cancelled;
        }
        if (!working && !owned) {
            giveUp(RunRecoveryReply.State.FAILED, "another attempt has begun", "failed");
        }
        return true;
    }

    /** Takes everything out of memory and ends. */
    private void giveUp(RunRecoveryReply.State how, String why, String outcome) {
        if (!ready && replay != null) {
            recoveries.freed();
        }
        ready = true;
        ZoneReplay begun = replay;
        if (begun == null || working || recoveries.isStopped()) {
            end(how, why, outcome);
            return;
        }
        begunWork();
        site.workers().execute(() -> {
            begun.discard();
            site.scheduler().execute(() -> {
                endedWork();
                end(how, why, outcome);
            });
        });
    }

    private void end(RunRecoveryReply.State how, String why, String outcome) {
        assert confined.here() : confined;
        if (!isRunning()) {
            return;
        }
        held.release();
        state = how;
        note = why;
        site.metrics().ended(outcome);
        over.complete(null);
    }
}
