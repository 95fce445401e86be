package dev.granary.storage.migrate;

import dev.granary.net.message.CommitMigration;
import dev.granary.net.message.Empty;
import dev.granary.net.message.EndMigration;
import dev.granary.net.message.Holdings;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationData;
import dev.granary.net.message.MigrationReply;
import dev.granary.net.message.RunMigration;
import dev.granary.net.message.RunMigrationReply;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.net.rpc.RpcException;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.storage.data.Transition;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One migration at its source (ADR 0093, SAFETY rule "migration").
 *
 * <pre>
 *   COPYING --all sent, few changed--> CHANGES_WAIT --sealed--> ALL_WAIT --committed--> gone
 *      |                                    |                       |
 *      +--- target fails, given up ---------+---- serves again      +----- aborted --> serves again
 * </pre>
 *
 * <p>Invariants: (1) commit is asked for only when the target has acknowledged everything, and nothing is read or changed
 * here from before it is asked for until the answer is there; (2) once it was asked for, only the arc's answer ends the
 * waiting; it is not begun without a lease, so that this incarnation was not replaced before; (3) at most one step is on its way, and it is sent again with the same bytes.
 *
 * <p>Tasks of the scheduler.
 */
final class OutgoingMigration {

    private static final Logger LOG = LoggerFactory.getLogger(OutgoingMigration.class);

    private static final long CALL_TIMEOUT_NANOS = 500_000_000;
    private static final long RETRY_NANOS = 20_000_000;

    /** How often a step is sent again before the source gives up, and how often the target is told the end. */
    private static final int MAX_FAILURES = 10;

    /** Rounds of changed chunks before changes have to wait; fewer when few are left. */
    private static final int MAX_ROUNDS = 8;

    private static final int FEW_CHANGED = 64;

    private final Peer peer;
    private final MigrationKey key;
    private final RunMigration order;
    private final Transition transition;
    private final ChunkPages pages;
    private final Consumer<OutgoingMigration> onEnd;

    private long nextCid;
    private int rounds;
    private int step;
    private int failures;
    private boolean committing;
    private boolean ended;
    private boolean failed;
    private String note = "";

    /**
     * @param onEnd told once it serves again or owns the range no more
     */
    OutgoingMigration(Peer peer, RunMigration order, Consumer<OutgoingMigration> onEnd) {
        this.peer = peer;
        this.key = new MigrationKey(order.creatorNid(), order.number());
        this.order = order;
        this.transition = new Transition(order.startCid(), order.endCidInclusive(), isOwn(), Transition.Phase.COPYING);
        this.pages = new ChunkPages(peer.memory());
        this.nextCid = order.startCid();
        this.onEnd = onEnd;
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

    void begin() {
        peer.ownership().begin(transition);
        LOG.atInfo()
                .addKeyValue("migration", key)
                .addKeyValue("from", Cid.toHex(order.startCid()))
                .addKeyValue("to", Cid.toHex(order.endCidInclusive()))
                .addKeyValue("target", Nid.toHex(order.targetNid()))
                .log("chunks begin to leave this storage peer");
        afterTurnOver(this::copyOn);
    }

    /** The arc has given it up, as far as the sender knows. */
    void abortedByArc() {
        if (!ended && !committing) {
            giveUp("it was aborted");
        }
    }

    /** The node stops: nothing is touched any more. */
    void cancel() {
        ended = true;
    }

    private void afterTurnOver(Runnable next) {
        var _ = peer.service()
                .turnOver()
                .thenRunAsync(
                        () -> {
                            if (!ended) {
                                next.run();
                            }
                        },
                        peer.scheduler());
    }

    private void copyOn() {
        if (Long.compareUnsigned(nextCid, order.endCidInclusive()) <= 0 && nextCid != 0) {
            ByteBuf part = Unpooled.buffer();
            nextCid = pages.readSpan(nextCid, order.endCidInclusive(), part);
            send(withoutMore(part), 0, this::copyOn);
        } else if (rounds < MAX_ROUNDS && transition.changedCount() > FEW_CHANGED) {
            rounds++;
            sendChanged(transition.takeChanged(), 0, this::copyOn);
        } else {
            transition.enter(Transition.Phase.CHANGES_WAIT);
            afterTurnOver(() -> sendChanged(transition.takeChanged(), 0, this::sendRequests));
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
        send(part, MigrationData.FLAG_SEAL, () -> {
            if (!peer.lease().isValid()) {
                giveUp("the lease of the source has ended");
                return;
            }
            transition.enter(Transition.Phase.ALL_WAIT);
            afterTurnOver(() -> {
                committing = true;
                commit();
            });
        });
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
        MigrationData header = new MigrationData(
                key.creatorNid(),
                key.number(),
                order.startCid(),
                order.endCidInclusive(),
                peer.nid(),
                order.targetEpoch(),
                step++,
                flags);
        failures = 0;
        sendStep(header, parts, then);
    }

    private void sendStep(MigrationData header, ByteBuf parts, Runnable then) {
        if (ended) {
            return;
        }
        var _ = peer.rpc()
                .call(
                        order.targetAddress(),
                        order.targetNid(),
                        MessageType.MIGRATION_DATA,
                        out -> {
                            header.writeTo(out);
                            out.writeBytes(parts, parts.readerIndex(), parts.readableBytes());
                        },
                        in -> Boolean.TRUE,
                        CALL_TIMEOUT_NANOS)
                .whenCompleteAsync(
                        (taken, failure) -> {
                            if (ended) {
                                return;
                            }
                            if (taken != null) {
                                then.run();
                            } else {
                                stepFailed(unwrap(failure), () -> sendStep(header, parts, then));
                            }
                        },
                        peer.scheduler());
    }

    private void stepFailed(@Nullable Throwable failure, Runnable again) {
        boolean hopeless = failure instanceof RemoteErrorException remote
                ? !remote.code().isRetryable()
                : !(failure instanceof RpcException);
        if (hopeless || ++failures > MAX_FAILURES) {
            String why = failure == null ? "" : ": " + failure.getMessage();
            giveUp("target " + Nid.toHex(order.targetNid()) + " does not take the chunks" + why);
        } else {
            peer.scheduler().schedule(RETRY_NANOS, again);
        }
    }

    private static @Nullable Throwable unwrap(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Before commit was asked for nobody else can become the owner: this peer just goes on. */
    private void giveUp(String why) {
        failed = true;
        note = why;
        LOG.atWarn().addKeyValue("migration", key).log("chunks stay at this storage peer: {}", why);
        end();
        tellTarget(new EndMigration(key.creatorNid(), key.number(), false, 0), 0);
    }

    private void commit() {
        if (ended) {
            return;
        }
        CommitMigration request = new CommitMigration(key.creatorNid(), key.number(), peer.nid(), peer.epoch());
        peer.arcs()
                .callArc(
                        key.creatorNid(),
                        MessageType.COMMIT_MIGRATION,
                        request,
                        this::decided,
                        failure -> peer.scheduler().schedule(RETRY_NANOS, this::commit));
    }

    private void decided(MigrationReply reply) {
        if (ended) {
            return;
        }
        switch (reply.state()) {
            case RUNNING -> peer.scheduler().schedule(RETRY_NANOS, this::commit);
            case ABORTED -> giveUp(reply.note().isEmpty() ? "it was aborted" : reply.note());
            case COMMITTED -> {
                leave(reply.epoch());
                LOG.atInfo()
                        .addKeyValue("migration", key)
                        .addKeyValue("chunks", pages.chunks())
                        .addKeyValue("bytes", pages.bytes())
                        .addKeyValue("epoch", reply.epoch())
                        .log("chunks have left this storage peer");
                end();
                tellTarget(new EndMigration(key.creatorNid(), key.number(), true, reply.epoch()), 0);
            }
        }
    }

    private void leave(long epoch) {
        peer.ownership()
                .learn(new CidRange(
                        order.startCid(), order.endCidInclusive(), Placement.unreplicated(order.targetNid(), epoch)));
        peer.replication().zones().remove(order.startCid(), order.endCidInclusive());
        Placeholders.leave(peer, order.startCid(), order.endCidInclusive());
    }

    private void end() {
        ended = true;
        peer.ownership().end(transition);
        peer.service().wake();
        onEnd.accept(this);
    }

    /** Tells the target, so that it need not ask the arc; if it cannot be told it asks. */
    private void tellTarget(EndMigration end, int told) {
        if (told > MAX_FAILURES) {
            return;
        }
        var _ = peer.rpc()
                .call(order.targetAddress(), order.targetNid(), MessageType.END_MIGRATION, end, CALL_TIMEOUT_NANOS)
                .whenCompleteAsync(
                        (@Nullable Empty done, @Nullable Throwable failure) -> {
                            if (done == null) {
                                peer.scheduler().schedule(RETRY_NANOS, () -> tellTarget(end, told + 1));
                            }
                        },
                        peer.scheduler());
    }
}
