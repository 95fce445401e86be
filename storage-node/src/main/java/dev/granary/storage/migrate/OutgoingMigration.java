package dev.granary.storage.migrate;

import dev.granary.env.Confined;
import dev.granary.env.Futures;
import dev.granary.env.Steps;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.message.Empty;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.CommitMigration;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcException;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.storage.data.Transition;
import dev.granary.storage.migrate.MigrationMetrics.Outcome;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.TransferBudget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One migration at its source (ADR 0093, SAFETY rule "migration").
 *
 * <pre>
 *   COPYING --all synced, few changed--> CHANGES_WAIT --sealed--> READ_FOR_A_WHILE --committed--> GONE
 *      |                                      |                   |              |
 *      |                                      |                 (ALL_WAIT, if the target allows no reads)
 *      +--- target fails, given up -----------+---- serves again                 +----- aborted --> serves again
 * </pre>
 *
 * <p>Invariants: (1) the arc is asked to commit only when the target has acknowledged everything, and this peer changes
 * no chunk from before it asks until the answer is there; it serves reads only as long as the target has promised to
 * serve nothing; the target is told once this peer serves no reads any more; (2) once the arc was asked to commit, only
 * its answer ends the wait; a commit is not asked for without a lease, so that this incarnation was not replaced
 * before; (3) at most one step is on its way, and it is sent again with the same bytes.
 *
 * <p>Runs as tasks of the scheduler.
 */
final class OutgoingMigration {

    private static final Logger LOG = LoggerFactory.getLogger(OutgoingMigration.class);

    private static final long CALL_TIMEOUT_NANOS = 500_000_000;
    private static final long RETRY_NANOS = 20_000_000;

    /** How often a step is sent again before the source gives up, and how often the target is told the end. */
    private static final int MAX_FAILURES = 10;

    /** How many rounds of changed chunks are sent before changes must wait; fewer when few changed chunks are left. */
    private static final int MAX_ROUNDS = 8;

    private static final int FEW_CHANGED = 64;

    /** How long a target that answers may take until its backups have synced what it got, or have room for more. */
    private static final long PATIENCE_NANOS = 30_000_000_000L;

    /** How long the target promises to serve nothing, less a margin for the difference of the clocks. */
    private static final long READ_NANOS = MigrationData.READ_GRANT_NANOS * 9 / 10;

    private static final long READ_TIMEOUT_NANOS = 150_000_000;

    /** The time between two requests for this promise. */
    private static final long READ_RENEWAL_NANOS = 60_000_000;

    /** What may end the migration. */
    private enum Stage {
        /** Anything: the chunks stay here then. */
        COPYING,
        /** The arc alone: it was asked to commit. */
        COMMITTING,
        /** Nothing: the chunks have another owner, and leave. */
        COMMITTED,
        OVER
    }

    private final Confined confined = new Confined();
    private final Peer peer;
    private final MigrationKey key;
    private final RunMigration order;
    private final Transition transition;
    private final ChunkPages pages;
    private final Consumer<OutgoingMigration> onEnd;
    private final Steps steps;

    private long nextCid;
    private int rounds;
    private int step;
    private int failures;
    private Stage stage = Stage.COPYING;

    /** Whether the target was once asked to let its backups sync what came. */
    private boolean synced;

    private long committedEpoch;

    /** Whether the migration was given up. */
    private boolean failed;

    private String note = "";

    /** The room for the step that is being read or sent; null when there is no such step. */
    private TransferBudget.@Nullable Room room;

    /**
     * Makes a migration that has not begun.
     *
     * @param onEnd runs once this peer serves the range again, or owns it no more
     */
    OutgoingMigration(Peer peer, RunMigration order, Consumer<OutgoingMigration> onEnd) {
        this.peer = peer;
        this.key = new MigrationKey(order.creatorNid(), order.number());
        this.order = order;
        this.transition = new Transition(order.startCid(), order.endCidInclusive(), isOwn(), Transition.Phase.COPYING);
        this.pages = new ChunkPages(peer.memory(), peer.metrics());
        this.nextCid = order.startCid();
        this.onEnd = onEnd;
        this.steps = new Steps(peer.scheduler(), "outgoing-migration", RETRY_NANOS);
    }

    MigrationKey key() {
        return key;
    }

    Holdings.Move describe() {
        return new Holdings.Move(
                key.creatorNid(), key.number(), false, order.targetNid(), order.startCid(), order.endCidInclusive(), 0);
    }

    private boolean isOwn() {
        return order.creatorNid() == peer.nid();
    }

    RunMigrationReply progress() {
        return new RunMigrationReply(failed, pages.chunks(), pages.bytes(), note);
    }

    /** Returns the epoch of the new owner; 0 when the chunks have not left. */
    long committedEpoch() {
        return committedEpoch;
    }

    void begin() {
        assert confined.here() : confined;
        peer.ownership().begin(transition);
        LOG.atDebug()
                .addKeyValue("migration", key)
                .addKeyValue("firstCid", Cid.toHex(order.startCid()))
                .addKeyValue("lastCid", Cid.toHex(order.endCidInclusive()))
                .addKeyValue("targetNid", Nid.toHex(order.targetNid()))
                .log("chunks begin to leave this storage peer");
        afterTurnOver(this::copyOn);
    }

    /** Notes that the arc has aborted the migration, as far as the sender of the message knows. */
    void abortedByArc() {
        if (stage == Stage.COPYING) {
            StorageProbe.MIGRATION_ABORTED_BY_ARC.hit();
            giveUp("it was aborted");
        }
    }

    /** Stops, because the node stops: chunk memory is not used any more. */
    void cancel() {
        stage = Stage.OVER;
    }

    private boolean isOver() {
        return stage == Stage.OVER;
    }

    private boolean mayStillBeAborted() {
        return stage == Stage.COPYING || stage == Stage.COMMITTING;
    }

    private void afterTurnOver(Runnable next) {
        steps.then(
                peer.service().turnOver(),
                (done, failure) -> {
                    if (!isOver()) {
                        next.run();
                    }
                },
                this::stepThrew);
    }

    /**
     * Handles a step that has thrown. Before the arc was asked to commit, the chunks stay here. After that only the arc
     * knows who owns them. Once the arc has answered, the steps that follow from its answer are repeated.
     */
    private void stepThrew() {
        switch (stage) {
            case COPYING -> giveUp("a step of it has failed");
            case COMMITTING -> commit();
            case COMMITTED -> leave();
            case OVER -> {}
        }
    }

    private void copyOn() {
        assert confined.here() : confined;
        if (Long.compareUnsigned(nextCid, order.endCidInclusive()) <= 0 && nextCid != 0) {
            withRoom(() -> {
                ByteBuf part = Unpooled.buffer();
                nextCid = pages.readSpan(nextCid, order.endCidInclusive(), part);
                send(withoutMore(part), 0, this::copyOn);
            });
        } else if (rounds < MAX_ROUNDS && transition.changedCount() > FEW_CHANGED) {
            rounds++;
            withRoom(() -> sendChanged(transition.takeChanged(), 0, this::copyOn));
        } else if (!synced) {
            // Synced now, while requests go on, so that little is left to sync in the last step, for which changes
            // wait.
            synced = true;
            send(withoutMore(Unpooled.buffer().writeIntLE(0)), MigrationData.FLAG_SYNC, this::copyOn);
        } else {
            transition.enter(Transition.Phase.CHANGES_WAIT);
            StorageProbe.MIGRATION_HOLDS_CHANGES.hit();
            afterTurnOver(() -> sendChanged(transition.takeChanged(), 0, this::sendRequests));
        }
    }

    /** Runs a step that reads chunks and for which nobody waits, once there is room for what it reads. */
    private void withRoom(Runnable read) {
        CompletableFuture<TransferBudget.Room> granted =
                peer.replication().transfers().take();
        // Outside the step: the step may throw before it knows of the room, and nobody would give the room back.
        var _ = granted.thenAccept(this::holdRoom);
        steps.then(
                granted,
                (taken, failure) -> {
                    if (isOver()) {
                        freeRoom();
                    } else {
                        read.run();
                    }
                },
                this::stepThrew);
    }

    private void holdRoom(TransferBudget.Room taken) {
        room = taken;
        if (isOver()) {
            freeRoom();
        }
    }

    private void freeRoom() {
        TransferBudget.Room taken = room;
        room = null;
        if (taken != null) {
            taken.end();
        }
    }

    private void sendChanged(long[] changed, int from, Runnable then) {
        if (from == changed.length) {
            then.run();
            return;
        }
        ByteBuf part = Unpooled.buffer();
        int next = pages.readThese(changed, from, part);
        send(withoutMore(part), 0, () -> sendChanged(changed, next, then));
    }

    private void sendRequests() {
        List<ByteBuf> parts =
                peer.service().luggage().pack(order.startCid(), order.endCidInclusive(), ChunkPages.PART_BYTES);
        sendRequests(parts.iterator());
    }

    private void sendRequests(Iterator<ByteBuf> parts) {
        ByteBuf part = Unpooled.buffer().writeIntLE(0);
        if (parts.hasNext()) {
            part.writeBytes(parts.next());
            send(withoutTokens(part), 0, () -> sendRequests(parts));
            return;
        }
        part.writeIntLE(0);
        peer.service().luggage().packTokens(order.startCid(), order.endCidInclusive(), part);
        send(part, MigrationData.FLAG_SEAL, () -> askToRead(this::sealed));
    }

    /**
     * Goes on when the target has everything. It may have promised to serve nothing, so that this peer serves reads.
     */
    private void sealed(boolean mayRead) {
        assert confined.here() : confined;
        if (isOver()) {
            return;
        }
        if (!peer.lease().isValid()) {
            giveUp("the lease of the source has ended");
            return;
        }
        if (mayRead) {
            renewReads();
        } else {
            transition.enter(Transition.Phase.ALL_WAIT);
        }
        stage = Stage.COMMITTING;
        afterTurnOver(this::commit);
    }

    /** Asks the target to renew its promise; passes on whether this peer may serve reads. */
    private void askToRead(Consumer<Boolean> then) {
        MigrationData header = header(step - 1, MigrationData.FLAG_READ);
        long askedNanos = peer.clock().nanoTime();
        CompletableFuture<Boolean> answer = peer.rpc()
                .call(
                        order.targetAddress(),
                        order.targetNid(),
                        MessageType.MIGRATION_DATA,
                        header::writeTo,
                        in -> Boolean.TRUE,
                        READ_TIMEOUT_NANOS);
        steps.then(
                answer,
                (granted, failure) -> {
                    boolean may = granted != null && mayStillBeAborted();
                    if (may) {
                        transition.readUntil(askedNanos + READ_NANOS);
                        peer.service().wake();
                    }
                    then.accept(may);
                },
                () -> then.accept(false));
    }

    private void renewReads() {
        Runnable renew = () -> {
            if (mayStillBeAborted()) {
                askToRead(granted -> renewReads());
            }
        };
        steps.after(READ_RENEWAL_NANOS, renew, renew);
    }

    /** Neither requests nor tokens follow the chunks. */
    private static ByteBuf withoutMore(ByteBuf part) {
        return withoutTokens(part.writeIntLE(0));
    }

    private static ByteBuf withoutTokens(ByteBuf part) {
        return part.writeLongLE(0).writeIntLE(0);
    }

    /** Sends a step until the target has taken it, then goes on. */
    private void send(ByteBuf parts, int flags, Runnable then) {
        failures = 0;
        if (room == null) {
            room = peer.replication().transfers().takeAtOnce(parts.readableBytes());
        } else {
            room.shrinkTo(parts.readableBytes());
        }
        sendStep(header(step++, flags), peer.clock().nanoTime(), parts, then);
    }

    private MigrationData header(int ofStep, int flags) {
        return new MigrationData(
                key.creatorNid(),
                key.number(),
                order.startCid(),
                order.endCidInclusive(),
                peer.nid(),
                order.targetEpoch(),
                ofStep,
                flags);
    }

    private void sendStep(MigrationData header, long begunNanos, ByteBuf parts, Runnable then) {
        if (isOver()) {
            return;
        }
        CompletableFuture<Boolean> answer = peer.rpc()
                .call(
                        order.targetAddress(),
                        order.targetNid(),
                        MessageType.MIGRATION_DATA,
                        out -> {
                            header.writeTo(out);
                            out.writeBytes(parts, parts.readerIndex(), parts.readableBytes());
                        },
                        in -> Boolean.TRUE,
                        CALL_TIMEOUT_NANOS);
        steps.then(
                answer,
                (taken, failure) -> {
                    if (isOver()) {
                        return;
                    }
                    if (taken != null) {
                        freeRoom();
                        then.run();
                    } else {
                        stepFailed(
                                Futures.causeIfAny(failure),
                                mayTakeLong(header, begunNanos),
                                () -> sendStep(header, begunNanos, parts, then));
                    }
                },
                this::stepThrew);
    }

    /**
     * Whether a target that says so may take its time: until disks have synced, and, while everything goes on here,
     * until its backups have what waits for them there.
     */
    private boolean mayTakeLong(MigrationData header, long begunNanos) {
        boolean synced = (header.flags() & (MigrationData.FLAG_SEAL | MigrationData.FLAG_SYNC)) != 0;
        boolean holdsNobodyUp = header.step() > 0 && transition.phase() == Transition.Phase.COPYING;
        return (synced || holdsNobodyUp) && peer.clock().nanoTime() - begunNanos < PATIENCE_NANOS;
    }

    /**
     * A step was not taken.
     *
     * @param slow whether a target that says so may take its time
     */
    private void stepFailed(@Nullable Throwable failure, boolean slow, Runnable again) {
        if (slow && failure instanceof RemoteErrorException) {
            failures = 0;
        }
        boolean hopeless = failure instanceof RemoteErrorException remote
                ? !remote.code().isRetryable()
                : !(failure instanceof RpcException);
        if (hopeless || ++failures > MAX_FAILURES) {
            String why = failure == null ? "" : ": " + failure.getMessage();
            giveUp("target " + Nid.toHex(order.targetNid()) + " does not take the chunks" + why);
        } else {
            StorageProbe.MIGRATION_STEP_SENT_AGAIN.hit();
            steps.after(RETRY_NANOS, again, this::stepThrew);
        }
    }

    /** Before commit was asked for nobody else can become the owner: this peer just goes on. */
    private void giveUp(String why) {
        failed = true;
        StorageProbe.MIGRATION_GIVEN_UP.hit();
        note = why;
        LOG.atWarn().addKeyValue("migration", key).log("chunks stay at this storage peer: {}", why);
        end();
        tellTarget(new EndMigration(key.creatorNid(), key.number(), false, 0), 0);
    }

    private void commit() {
        if (isOver()) {
            return;
        }
        CommitMigration request = new CommitMigration(key.creatorNid(), key.number(), peer.nid(), peer.epoch());
        peer.arcs()
                .callArc(
                        key.creatorNid(),
                        MessageType.COMMIT_MIGRATION,
                        request,
                        reply -> steps.run(() -> decided(reply), this::stepThrew),
                        failure -> steps.after(RETRY_NANOS, this::commit));
    }

    private void decided(MigrationReply reply) {
        assert confined.here() : confined;
        if (isOver()) {
            return;
        }
        switch (reply.state()) {
            case RUNNING -> steps.after(RETRY_NANOS, this::commit);
            case ABORTED -> giveUp(reply.note().isEmpty() ? "it was aborted" : reply.note());
            case COMMITTED -> committed(reply.epoch());
        }
    }

    /** Those who wait hear at once who has the chunks, and the target as soon as nobody reads them here. */
    private void committed(long epoch) {
        if (stage == Stage.COMMITTED) {
            return;
        }
        stage = Stage.COMMITTED;
        committedEpoch = epoch;
        leave();
    }

    /** May be done again. */
    private void leave() {
        long epoch = committedEpoch;
        peer.ownership()
                .learn(new CidRange(
                        order.startCid(), order.endCidInclusive(), Placement.unreplicated(order.targetNid(), epoch)));
        peer.replication().zones().remove(order.startCid(), order.endCidInclusive());
        transition.enter(Transition.Phase.GONE);
        peer.service().wake();
        afterTurnOver(() -> {
            tellTarget(new EndMigration(key.creatorNid(), key.number(), true, epoch), 0);
            // The chunks are removed by a task of its own: those who waited are answered before.
            peer.scheduler().execute(() -> steps.run(() -> left(epoch, order.startCid()), this::stepThrew));
        });
    }

    /** Removes the chunks from a CID on, as many at once as others may wait for. */
    private void left(long epoch, long fromCid) {
        if (isOver()) {
            return;
        }
        long end = Math.min(order.endCidInclusive(), fromCid + Migrations.MAX_LIDS - 1);
        try {
            Placeholders.leave(peer, fromCid, end);
        } catch (OutOfChunkMemoryException e) {
            // Creates wait meanwhile: without its placeholder a LID would be given twice.
            steps.after(RETRY_NANOS, () -> left(epoch, fromCid), this::stepThrew);
            return;
        }
        if (end != order.endCidInclusive()) {
            peer.scheduler().execute(() -> steps.run(() -> left(epoch, end + 1), this::stepThrew));
            return;
        }
        LOG.atDebug()
                .addKeyValue("migration", key)
                .addKeyValue("chunks", pages.chunks())
                .addKeyValue("bytes", pages.bytes())
                .addKeyValue("epoch", epoch)
                .log("chunks have left this storage peer");
        StorageProbe.CHUNKS_LEFT.hit();
        end();
    }

    private void end() {
        assert confined.here() : confined;
        stage = Stage.OVER;
        freeRoom();
        peer.ownership().end(transition);
        peer.service().wake();
        peer.metrics().ended(failed ? Outcome.KEPT : Outcome.LEFT);
        onEnd.accept(this);
    }

    /** Tells the target, so that it need not ask the arc; if it cannot be told it asks. */
    private void tellTarget(EndMigration end, int told) {
        if (told > MAX_FAILURES) {
            return;
        }
        CompletableFuture<Empty> answer = peer.rpc()
                .call(order.targetAddress(), order.targetNid(), MessageType.END_MIGRATION, end, CALL_TIMEOUT_NANOS);
        Runnable again = () -> tellTarget(end, told + 1);
        steps.then(
                answer,
                (done, failure) -> {
                    if (done == null) {
                        steps.after(RETRY_NANOS, again);
                    }
                },
                again);
    }
}
