package dev.granary.storage.recover;

import dev.granary.env.Confined;
import dev.granary.env.Steps;
import dev.granary.log.backup.ZoneSummary;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.RangeMessages.RangeList;
import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.net.message.RecoveryMessages.RunRecovery;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply;
import dev.granary.net.message.ReplicationMessages.FetchCopy;
import dev.granary.net.message.ReplicationMessages.FetchedCopy;
import dev.granary.net.message.ZoneMessages.ZonePlacement;
import dev.granary.net.message.ZoneMessages.ZoneRanges;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.probe.StorageProbe;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of this peer to recover one zone. Runs as tasks of the scheduler; workers do the pieces of work that take
 * long, one piece at a time.
 *
 * <pre>{@code
 *  PREPARING --has a place--> REPLAYING --all is in memory--> AGREEING --all have, or time is up--> TELLING
 *   its spans, moves that       | ^  damaged: from another                                             |
 *   end, its turn               | +- member, or accepted                           the arc commits this peer
 *                               |                                                                      v
 *                               +--> GIVING_UP <-- cancelled, a step has thrown,                     OWNED
 *   from all but OWNED ------------>  | out of     no room, another owner                 LIDs freed   |
 *                                     v memory                                                         v served
 *                                    OVER <----------------------------------------------------------- +
 * }</pre>
 *
 * <p>Invariants: (1) the arc is told only when everything is in memory; (2) the zone is served only when the arc has
 * committed this peer as its owner, and when no placeholders of the zone are left in memory; (3) an attempt that does
 * not succeed leaves nothing in memory; (4) before the arc is told, the other members are asked to cut their tails. A
 * member that does not answer for {@link #AGREE_NANOS} is not waited for: nothing is acknowledged before that member
 * has cut its tail, or is no member any more (ADR 0107); (5) from before its replay until its end no migration brings
 * or removes one of its chunks.
 *
 * <p>A step that throws ends the attempt, and the arc begins another one. Once the arc was asked to commit, the step is
 * repeated instead: the zone may be this peer's, and nobody else would serve it (ADR 0191).
 */
final class ZoneRecovery {

    private static final Logger LOG = LoggerFactory.getLogger(ZoneRecovery.class);

    /** A copy that is not here: more than any other, as it is to be fetched first. */
    static final long UNKNOWN_BYTES = Long.MAX_VALUE;

    private static final long AGREE_NANOS = 300_000_000;
    private static final long RETRY_NANOS = 50_000_000;
    private static final long FETCH_TIMEOUT_NANOS = 10_000_000_000L;
    private static final int FETCH_ATTEMPTS = 40;

    private enum Phase {
        PREPARING,
        REPLAYING,
        AGREEING,
        TELLING,
        OWNED,
        GIVING_UP,
        OVER
    }

    private final Confined confined = new Confined();
    private final RecoverySite site;
    private final RunRecovery.Task order;
    private final Recoveries recoveries;
    private final Steps steps;
    private final long number;
    private final long beganNanos;
    private final long copyBytes;
    private final int formerOwner;
    private final List<RunRecovery.Span> spanList;
    private final Set<Integer> toAgree = new TreeSet<>();
    private final HeldSpans held;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private Spans spans = new Spans(List.of());
    private @Nullable ZoneReplay replay;
    private Phase phase = Phase.PREPARING;

    /** The state that is reported to the arc. */
    private RunRecoveryReply.State state = RunRecoveryReply.State.RUNNING;

    private String note = "";

    /** Whether the attempt is to end as soon as possible; from OWNED on that is impossible. */
    private boolean cancelled;

    /** Completes when no worker runs a piece of this attempt. */
    private CompletableFuture<Void> idle = CompletableFuture.completedFuture(null);

    /** Whether no copy could be read as a whole and the order accepts that. */
    private boolean damaged;

    /** Whether all members have cut their tails. */
    private boolean opened = true;

    /** Whether the copy that is being fetched has reported damage. */
    private boolean fetchedDamaged;

    /**
     * Makes an attempt that has not begun.
     *
     * @param steps count the steps that throw
     * @param number grows with each attempt of this peer
     */
    ZoneRecovery(RecoverySite site, RunRecovery.Task order, Recoveries recoveries, Steps steps, long number) {
        this.site = site;
        this.order = order;
        this.recoveries = recoveries;
        this.steps = steps;
        this.number = number;
        this.beganNanos = site.clock().nanoTime();
        ZoneSummary copy = site.log().zone(order.zone());
        // Without a copy here it is fetched, which takes longest.
        this.copyBytes = copy == null ? UNKNOWN_BYTES : copy.liveBytes();
        this.formerOwner = copy == null ? BackupZone.creatorOf(order.zone()) : copy.owner();
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

    RunRecovery.Task order() {
        return order;
    }

    long number() {
        return number;
    }

    long beganNanos() {
        return beganNanos;
    }

    /** Returns about how many bytes of its own copy this peer reads; {@link #UNKNOWN_BYTES} when it has none. */
    long copyBytes() {
        return copyBytes;
    }

    /** Returns who owned the zone, as far as is known here. */
    int formerOwner() {
        return formerOwner;
    }

    /** Returns the members without this peer. */
    List<RunRecovery.Member> others() {
        return order.members().stream()
                .filter(member -> member.nid() != site.nid())
                .toList();
    }

    boolean isRunning() {
        return phase != Phase.OVER;
    }

    RunRecoveryReply.Progress progress() {
        ZoneReplay present = replay;
        return new RunRecoveryReply.Progress(
                zone(),
                epoch(),
                state,
                present == null ? 0 : present.chunks(),
                present == null ? 0 : present.bytes(),
                note);
    }

    /** Asks the arc for the spans that did not fit into the order, then waits for a place to replay. */
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
                        ranges -> steps.run(() -> spansCame(ranges), this::stepThrew),
                        failure -> steps.after(
                                RETRY_NANOS,
                                () -> {
                                    if (!endIfCancelled()) {
                                        askSpans(nextCid);
                                    }
                                },
                                this::stepThrew));
    }

    /**
     * Waits until chunks of moves from the former owner are out of memory. The arc has ended these moves, but this peer
     * may not have heard of that yet. If it heard later it would remove the recovered chunks.
     */
    private void waitForMoves() {
        boolean moving = false;
        for (int i = 0; i < spans.count() && !moving; i++) {
            moving = site.ownership().isInTransition(spans.start(i), spans.endInclusive(i));
        }
        if (!moving) {
            // A former owner that does not know of its end may still begin to send chunks here, and abort that later.
            site.ownership().claim(spans);
            recoveries.whenFree(this);
            return;
        }
        steps.after(
                RETRY_NANOS,
                () -> {
                    if (!endIfCancelled()) {
                        waitForMoves();
                    }
                },
                this::stepThrew);
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

    /** Takes one of the places for replays; the attempt keeps it until it gives it back. */
    void takePlace() {
        phase = Phase.REPLAYING;
    }

    /** Enters the next phase, which frees the place for replays. */
    private void enter(Phase next) {
        boolean leavesPlace = phase == Phase.REPLAYING;
        phase = next;
        if (leavesPlace) {
            recoveries.freed();
        }
    }

    private boolean isWorking() {
        return !idle.isDone();
    }

    /** Begins to replay. The attempt has a place. */
    void run() {
        assert confined.here() : confined;
        if (cancelled) {
            end(RunRecoveryReply.State.FAILED, "another attempt has begun", "failed");
            return;
        }
        ZoneReplay begun = new ZoneReplay(site, order, spans);
        replay = begun;
        work(begun::replay, this::replayed);
    }

    /** Gives a piece of work to a worker, unless the attempt is over by then. */
    private void work(Supplier<ZoneReplay.Outcome> piece, Consumer<ZoneReplay.Outcome> done) {
        if (recoveries.isStopped()) {
            end(RunRecoveryReply.State.FAILED, "this storage peer is stopping", "failed");
            return;
        }
        toWorker(
                piece,
                (result, thrown) -> {
                    if (result == null) {
                        LOG.atError()
                                .addKeyValue("zone", BackupZone.nameOf(zone()))
                                .setCause(thrown)
                                .log("a zone cannot be recovered here");
                        giveUp(RunRecoveryReply.State.FAILED, String.valueOf(thrown), "failed");
                    } else if (cancelled) {
                        giveUp(RunRecoveryReply.State.FAILED, "another attempt has begun", "failed");
                    } else {
                        done.accept(result);
                    }
                },
                this::stepThrew);
    }

    /** Gives a piece of work to a worker and goes on with its result and its failure, one of which is null. */
    private void toWorker(
            Supplier<ZoneReplay.Outcome> piece,
            BiConsumer<ZoneReplay.@Nullable Outcome, @Nullable RuntimeException> then,
            Runnable wayOut) {
        idle = new CompletableFuture<>();
        try {
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
                    idle.complete(null);
                    steps.run(() -> then.accept(result, thrown), wayOut);
                });
            });
        } catch (RejectedExecutionException e) {
            // Otherwise a caller that waits until no worker runs this would wait for ever.
            idle.complete(null);
            throw e;
        }
    }

    /**
     * Handles a step that has thrown. Before the arc was asked to commit, this gives the attempt up; another attempt
     * may succeed. After that the arc may have committed. Nothing waits for the failed step then, because the steps
     * that ask the arc and take the zone over are repeated.
     */
    void stepThrew() {
        if (!isRunning() || phase == Phase.TELLING || phase == Phase.OWNED) {
            return;
        }
        cancelled = true;
        if (!isWorking()) {
            giveUp(RunRecoveryReply.State.FAILED, "a step has thrown", "failed");
        }
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
                if (order.lastSequence() == 0 && site.log().zone(zone()) == null) {
                    // The owner never opened this copy, so nothing can be missing (ADR 0198).
                    inMemory();
                    return;
                }
                LOG.atWarn()
                        .addKeyValue("zone", BackupZone.nameOf(zone()))
                        .log("the own copy of a zone is damaged or not whole");
                StorageProbe.OWN_COPY_DAMAGED.hit();
                fetchFrom(0);
            }
        }
    }

    /**
     * Fetches another member's copy, and the next member's when that fails. At last it takes what this peer's own copy
     * has, if the order accepts damage. Otherwise members that have not answered yet may have everything, and this peer
     * must not decide that chunks are lost.
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
        steps.then(
                site.rpc().call(member.address(), member.nid(), MessageType.FETCH_COPY, wanted, FETCH_TIMEOUT_NANOS),
                (part, failure) -> {
                    if (part != null) {
                        fetched(member, index, part);
                    } else if (isBusy(failure) && attempts > 0) {
                        steps.after(RETRY_NANOS, () -> fetch(member, index, cursor, attempts - 1), this::stepThrew);
                    } else {
                        LOG.atWarn()
                                .addKeyValue("zone", BackupZone.nameOf(zone()))
                                .addKeyValue("backupNid", Nid.toHex(member.nid()))
                                .setCause(failure)
                                .log("the copy of another member cannot be fetched");
                        fetchFrom(index + 1);
                    }
                },
                this::stepThrew);
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
        enter(Phase.AGREEING);
        steps.after(AGREE_NANOS, () -> tell(true), this::stepThrew);
        tell(false);
    }

    /** Takes the answer of a member that was asked to cut its tail. */
    void agreed(int nid, boolean cut) {
        opened &= cut;
        toAgree.remove(nid);
        steps.run(() -> tell(false), this::stepThrew);
    }

    /** Returns whether a member must still be asked to cut its tail. */
    boolean needs(int nid) {
        return isRunning() && !cancelled && toAgree.contains(nid);
    }

    private void tell(boolean waitedLong) {
        if (phase != Phase.AGREEING || endIfCancelled()) {
            return;
        }
        if (!toAgree.isEmpty() && !waitedLong) {
            return;
        }
        StorageProbe.RECOVERY_WITHOUT_A_MEMBER.hitIf(!toAgree.isEmpty());
        opened &= toAgree.isEmpty();
        enter(Phase.TELLING);
        // If hold() throws, requests for the missing spans are told to try again. They never get "no such chunk".
        steps.run(
                () -> {
                    held.hold(spanList);
                    ask();
                },
                this::askAgain);
    }

    private void askAgain() {
        if (!endIfCancelled()) {
            ask();
        }
    }

    private void ask() {
        ZoneReplay present = present();
        site.arcs()
                .callArc(
                        BackupZone.creatorOf(zone()),
                        MessageType.RECOVERED,
                        new Recovered(
                                zone(), epoch(), site.nid(), site.epoch(), present.chunks(), present.bytes(), damaged),
                        reply -> steps.run(() -> committed(reply), this::askAgain),
                        failure -> steps.after(RETRY_NANOS, this::askAgain));
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
        enter(Phase.OWNED);
        takeOver(placement);
    }

    /** Takes the zone over, which belongs to this peer now. A step that throws is repeated until the zone is served. */
    private void takeOver(Placement placement) {
        steps.run(
                () -> {
                    if (present().hasPlaceholders()) {
                        freeLids(placement);
                    } else {
                        serve(placement);
                    }
                },
                () -> takeOver(placement));
    }

    /**
     * Removes placeholders before the zone is served, because a placeholder looks like an empty chunk. A free LID could
     * be given to a new chunk that nobody logs yet, so creates wait meanwhile.
     */
    private void freeLids(Placement placement) {
        held.holdCreates(spanList);
        steps.then(
                site.turnOver().get(),
                (done, failure) -> {
                    if (failure != null) {
                        throw new IllegalStateException("it is not known whether operations have ended", failure);
                    }
                    freeSomeLids(placement);
                },
                () -> takeOver(placement));
    }

    /** Works in small pieces, and not on the workers: requests that wait must not wait for the workers' disk reads. */
    private void freeSomeLids(Placement placement) {
        if (recoveries.isStopped()) {
            end(RunRecoveryReply.State.FAILED, "this storage peer is stopping", "failed");
        } else if (!present().freeSomeLids()) {
            site.scheduler().execute(() -> steps.run(() -> freeSomeLids(placement), () -> takeOver(placement)));
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
        // The zone comes before its chunks, because changes of the chunks must be logged.
        site.zones().take(placement, ranges, order.lastSequence(), opened && placement.epoch() == epoch());
        ranges.forEach(range -> site.ownership().learn(range));
        LOG.atDebug()
                .addKeyValue("zone", BackupZone.nameOf(zone()))
                .addKeyValue("epoch", placement.epoch())
                .addKeyValue("chunks", present().chunks())
                .addKeyValue("damaged", damaged)
                .log("this storage peer has recovered a zone and owns it");
        StorageProbe.ZONE_RECOVERED.hit();
        if (SlotGroup.isGroup(BackupZone.creatorOf(placement.zone()))) {
            StorageProbe.SLOT_GROUP_RECOVERED.hit();
        }
        end(RunRecoveryReply.State.DONE, damaged ? "something could not be read" : "", damaged ? "damaged" : "owned");
    }

    /** Stops to use chunk memory. The future completes when no worker uses it any more. */
    CompletableFuture<Void> stop() {
        cancelled = true;
        return idle;
    }

    /** Returns a future that completes when the attempt is over and no worker runs a piece of it. */
    CompletableFuture<Void> whenIdle() {
        return over.thenCompose(done -> idle);
    }

    /**
     * Ends the attempt, unless it has succeeded.
     *
     * @return a future that completes when nothing of the attempt is in memory any more, or the attempt has succeeded
     */
    CompletableFuture<Void> cancel() {
        cancelled = true;
        if ((phase == Phase.AGREEING || phase == Phase.TELLING) && !isWorking()) {
            giveUp(RunRecoveryReply.State.FAILED, "another attempt has begun", "failed");
        }
        return over;
    }

    private boolean endIfCancelled() {
        if (!cancelled || !isRunning()) {
            return cancelled;
        }
        if (!isWorking() && phase != Phase.OWNED) {
            giveUp(RunRecoveryReply.State.FAILED, "another attempt has begun", "failed");
        }
        return true;
    }

    /** Takes everything out of memory and ends the attempt. */
    private void giveUp(RunRecoveryReply.State how, String why, String outcome) {
        if (!isRunning()) {
            return;
        }
        // While the chunks are taken out, a member may still answer as if the recovery could succeed.
        enter(Phase.GIVING_UP);
        ZoneReplay begun = replay;
        if (begun == null || isWorking() || recoveries.isStopped()) {
            end(how, why, outcome);
            return;
        }
        toWorker(
                () -> {
                    begun.discard();
                    return ZoneReplay.Outcome.COMPLETE;
                },
                (done, thrown) -> {
                    if (thrown != null) {
                        throw thrown;
                    }
                    end(how, why, outcome);
                },
                () -> {
                    if (isRunning() && !isWorking()) {
                        giveUp(how, why, outcome);
                    }
                });
    }

    private void end(RunRecoveryReply.State how, String why, String outcome) {
        assert confined.here() : confined;
        if (!isRunning()) {
            return;
        }
        enter(Phase.OVER);
        site.ownership().unclaim(spans);
        held.release();
        state = how;
        note = why;
        site.metrics().ended(outcome);
        over.complete(null);
    }
}
