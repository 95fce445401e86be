package dev.granary.storage.migrate;

import dev.granary.env.Confined;
import dev.granary.env.Loop;
import dev.granary.env.Loops;
import dev.granary.env.Steps;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryException;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.AskMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.message.ZoneMessages.OpenZone;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.SlotGroup;
import dev.granary.storage.data.Transition;
import dev.granary.storage.migrate.MigrationMetrics.Direction;
import dev.granary.storage.migrate.MigrationMetrics.Outcome;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.ArrivingChunks;
import dev.granary.storage.replicate.HeldReplies;
import dev.granary.storage.replicate.HeldReply;
import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.ZoneBatch;
import dev.granary.storage.replicate.ZoneContent;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One migration at its target. The target takes chunks that it does not own yet, and serves them once their arc has
 * committed the migration.
 *
 * <p>Invariants: (1) steps are applied in their order, each once; (2) nothing is served before the arc has committed,
 * and everything when it has; (3) a migration that is dropped leaves the memory as it was; (4) while it runs, no
 * recovery brings one of its chunks.
 *
 * <p>Runs as tasks of the scheduler.
 */
final class IncomingMigration {

    private static final Logger LOG = LoggerFactory.getLogger(IncomingMigration.class);

    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    /** When the source has sent nothing for this long, the target asks the arc how the migration stands. */
    private static final long ASK_AFTER_NANOS = 300_000_000;

    /**
     * When the source has sent nothing for this long and nothing was sealed, the target drops the migration,
     * whether the arc knows of it or not.
     */
    private static final long FORGET_AFTER_NANOS = 60_000_000_000L;

    /** Longer than any answer of the arc takes. */
    private static final long ANSWER_LIMIT_NANOS = 20_000_000_000L;

    private static final long RETRY_NANOS = 20_000_000;

    private static final int TOMBSTONES_PER_BATCH = 1 << 16;

    private enum Stage {
        TAKING,
        /** The source has sent everything. */
        SEALED,
        /** The arc has made this peer the owner of the chunks, and the source has not said that it stopped reads. */
        OWNED,
        OVER
    }

    private final Confined confined = new Confined();
    private final Peer peer;
    private final MigrationKey key;
    private final MigrationData first;
    private final Transition transition;
    private final Consumer<IncomingMigration> onEnd;
    private final Loop looks;
    private final Steps steps;

    /** Which chunks have come, by the distance of their CID from the first one. */
    private final BitSet received = new BitSet();

    private final ArrivingChunks arriving;

    /** The zone in which the chunks are logged; null until the arc has named it. */
    private @Nullable OwnedZone zone;

    /** Whether the zone may have had chunks of this range before. */
    private boolean zoneUsedBefore;

    private int nextStep;

    /** The sequence up to which the backups must have synced before the present step is answered. */
    private long synced;

    private Stage stage = Stage.TAKING;

    /**
     * Whether the source may still serve reads. While it may, this peer serves nothing, whoever owns the chunks.
     */
    private boolean sourceMayRead;

    private long sourceReadsUntilNanos;

    private long lastNewsNanos;

    private long ownedEpoch;

    IncomingMigration(Peer peer, MigrationData first, Consumer<IncomingMigration> onEnd) {
        this.peer = peer;
        this.key = new MigrationKey(first.creatorNid(), first.number());
        this.first = first;
        this.transition = new Transition(first.startCid(), first.endCidInclusive(), false, Transition.Phase.RECEIVING);
        this.arriving =
                new ArrivingChunks(first.startCid(), first.endCidInclusive(), cid -> received.get(distance(cid)));
        this.onEnd = onEnd;
        this.lastNewsNanos = peer.clock().nanoTime();
        this.steps = new Steps(peer.scheduler(), "incoming-migration", RETRY_NANOS);
        // If the source is gone, only this loop learns who owns the chunks. Requests would wait for ever without it.
        this.looks = Loop.answered(
                        peer.scheduler(), "incoming-migration", ASK_AFTER_NANOS, ANSWER_LIMIT_NANOS, this::lookAfter)
                .vital(ANSWER_LIMIT_NANOS + Loops.VITAL_LIMIT_NANOS);
    }

    /** Returns the epoch since which this peer owns the chunks; 0 when it does not. */
    long ownedEpoch() {
        return ownedEpoch;
    }

    /** Returns how many chunks have come. */
    int chunks() {
        return received.cardinality();
    }

    MigrationKey key() {
        return key;
    }

    Holdings.Move describe() {
        OwnedZone logged = zone;
        return new Holdings.Move(
                key.creatorNid(),
                key.number(),
                true,
                first.sourceNid(),
                first.startCid(),
                first.endCidInclusive(),
                logged == null ? 0 : logged.id());
    }

    private boolean isOwn() {
        return first.creatorNid() == peer.nid();
    }

    /**
     * Gets ready for the chunks.
     *
     * @throws ChunkMemoryException when there is no room for any; nothing has begun then
     */
    void begin() {
        assert confined.here() : confined;
        if (!isOwn()) {
            // This makes the page table for chunks of this creator, even if no chunk comes.
            if (peer.memory().insert(first.startCid(), NOTHING, 0, 0)) {
                peer.memory().delete(first.startCid());
            }
        }
        peer.ownership().begin(transition);
        openZone();
        looks.beginAfter(ASK_AFTER_NANOS);
    }

    /** Asks the arc for the zone in which this peer logs chunks of this creator. */
    private void openZone() {
        if (isOver()) {
            return;
        }
        peer.arcs()
                .callArc(
                        key.creatorNid(),
                        MessageType.OPEN_ZONE,
                        new OpenZone(key.creatorNid(), peer.nid(), peer.epoch()),
                        reply -> steps.run(() -> zoneIsKnown(reply.placement()), this::openZone),
                        failure -> steps.after(RETRY_NANOS, this::openZone));
    }

    private void zoneIsKnown(Placement placement) {
        OwnedZone opened = isOver() || zone != null ? null : peer.replication().open(placement);
        if (opened != null) {
            // Before anything is logged, so that the base of a copy that is filled meanwhile has what came before.
            peer.replication().zones().arrive(opened, arriving);
            zone = opened;
            zoneUsedBefore = opened.last() > 0;
            StorageProbe.CHUNKS_CAME_TO_A_USED_ZONE.hitIf(zoneUsedBefore);
        }
    }

    /** Returns whether this peer can take steps. */
    boolean isReady() {
        return zone != null;
    }

    /**
     * Answers whether the source may go on to serve reads. It may as long as this peer cannot be replaced and does not
     * know that it owns the chunks, so that this peer serves nothing.
     */
    void letSourceRead(RpcRequest request) {
        lastNewsNanos = peer.clock().nanoTime();
        if (stage != Stage.SEALED || peer.lease().remainingNanos() < MigrationData.READ_GRANT_NANOS) {
            request.fail(ErrorReply.retryLater(RETRY_NANOS, "this storage peer may serve these chunks soon"));
            return;
        }
        sourceMayRead = true;
        sourceReadsUntilNanos = peer.clock().nanoTime() + MigrationData.READ_GRANT_NANOS;
        request.reply(new Empty());
    }

    /** Returns for how many nanoseconds the source may still serve reads; 0 when it may not. */
    long sourceReadsForNanos() {
        return sourceMayRead ? Math.max(0, sourceReadsUntilNanos - peer.clock().nanoTime()) : 0;
    }

    /**
     * Answers a step. The answer to the last step, and to a step that asks for a sync, waits until all backups have
     * synced everything that came (SAFETY rule "migration").
     */
    void answerWhenLogged(RpcRequest request, MigrationData header) {
        OwnedZone logged = zone;
        if ((stage == Stage.TAKING && (header.flags() & MigrationData.FLAG_SYNC) == 0) || logged == null) {
            request.reply(new Empty());
            return;
        }
        HeldReply held = peer.replication().zones().held().hold(request, 0, HeldReplies.READ_NANOS / 2, refusal -> {
            if (refusal == null) {
                request.reply(new Empty());
            } else {
                request.fail(refusal);
            }
        });
        logged.await(synced, false, held);
        logged.await(synced, true, held);
        held.begun();
    }

    /** Logs what a step has brought; with {@code sync} the backups sync everything so far. */
    private void log(boolean sync, Consumer<ZoneBatch> entries) {
        OwnedZone logged = zone;
        if (logged == null) {
            return;
        }
        ZoneBatch batch = new ZoneBatch(peer.replication().allocator());
        logged.lock();
        try {
            if (!logged.isEnded()) {
                batch.start(logged);
                entries.accept(batch);
                long sequence = batch.append(logged, sync);
                synced = sync ? sequence : synced;
            }
        } finally {
            logged.unlock();
        }
        logged.send();
    }

    /**
     * Logs completion records and tokens, and tombstones for CIDs without a chunk, which an older log may still have.
     */
    private void logRest() {
        if (zoneUsedBefore) {
            logTombstones(received::nextClearBit);
        }
        log(true, batch -> {
            peer.content().tell(first.startCid(), first.endCidInclusive(), new ZoneContent.Visitor() {
                @Override
                public void request(long client, long sequence, long acked, byte[] completion, int sizeBytes) {
                    batch.request(client, sequence, acked, completion, sizeBytes);
                }

                @Override
                public void token(long cid, long token) {
                    batch.token(cid, token);
                }
            });
        });
    }

    /**
     * Logs tombstones, as many in a batch as are no burden for anybody.
     *
     * @param next gives the distance of the first CID from a distance on that gets one, or a negative number
     */
    private void logTombstones(IntUnaryOperator next) {
        int lids = distance(first.endCidInclusive()) + 1;
        for (int from = 0; from < lids; from += TOMBSTONES_PER_BATCH) {
            int start = next.applyAsInt(from);
            int end = Math.min(lids, from + TOMBSTONES_PER_BATCH);
            if (start >= 0 && start < end) {
                log(false, batch -> {
                    for (int i = start; i >= 0 && i < end; i = next.applyAsInt(i + 1)) {
                        batch.tombstone(first.startCid() + i);
                    }
                });
            }
        }
    }

    /** Returns whether this step was taken before, so that a repetition changes nothing. */
    boolean hasTaken(MigrationData header) {
        return header.step() < nextStep;
    }

    /**
     * Takes a step.
     *
     * @throws ChunkMemoryException when there is no room
     * @throws IllegalArgumentException when it is malformed
     * @return false when an earlier step is missing
     */
    boolean take(MigrationData header, ByteBuf in) {
        assert confined.here() : confined;
        lastNewsNanos = peer.clock().nanoTime();
        if (hasTaken(header)) {
            StorageProbe.MIGRATION_STEP_TWICE.hit();
            return true;
        }
        if (header.step() > nextStep) {
            return false;
        }
        takeChunks(in);
        peer.service().luggage().unpack(in);
        peer.service().luggage().unpackTokens(key.creatorNid(), in);
        nextStep++;
        if ((header.flags() & MigrationData.FLAG_SEAL) != 0) {
            logRest();
            stage = stage == Stage.TAKING ? Stage.SEALED : stage;
            StorageProbe.MIGRATION_SEALED.hit();
            transition.enter(Transition.Phase.ALL_WAIT);
        } else if ((header.flags() & MigrationData.FLAG_SYNC) != 0) {
            log(true, batch -> {});
        }
        return true;
    }

    private void takeChunks(ByteBuf in) {
        log(false, batch -> takeChunks(in, batch));
    }

    private void takeChunks(ByteBuf in, ZoneBatch batch) {
        int count = in.readIntLE();
        if (count < 0 || (long) count * (Long.BYTES + Integer.BYTES) > in.readableBytes()) {
            throw new IllegalArgumentException(count + " chunks in " + in.readableBytes() + " bytes");
        }
        int cids = in.readerIndex();
        int sizes = cids + count * Long.BYTES;
        in.readerIndex(sizes + count * Integer.BYTES);
        for (int i = 0; i < count; i++) {
            long cid = in.getLongLE(cids + i * Long.BYTES);
            int sizeBytes = in.getIntLE(sizes + i * Integer.BYTES);
            if (!transition.contains(cid)) {
                throw new IllegalArgumentException(Cid.toHex(cid) + " does not belong to the migration");
            }
            if (sizeBytes == MigrationData.NO_CHUNK) {
                remove(cid);
                batch.tombstone(cid);
            } else {
                if (sizeBytes < 0 || sizeBytes > in.readableBytes()) {
                    throw new IllegalArgumentException(
                            Cid.toHex(cid) + " has " + sizeBytes + " bytes in " + in.readableBytes() + " that came");
                }
                byte[] value = new byte[sizeBytes];
                in.readBytes(value);
                put(cid, value);
                batch.chunk(cid, MemorySegment.ofArray(value), 0, value.length);
            }
        }
    }

    /** Stops, because the node stops: chunk memory is not used any more. */
    void cancel() {
        stage = Stage.OVER;
        looks.stop();
    }

    private boolean isOver() {
        return stage == Stage.OVER;
    }

    private int distance(long cid) {
        return (int) (cid - first.startCid());
    }

    private void put(long cid, byte[] value) {
        MemorySegment source = MemorySegment.ofArray(value);
        if (!peer.memory().replace(cid, source, 0, value.length)) {
            peer.memory().insert(cid, source, 0, value.length);
        }
        received.set(distance(cid));
        peer.metrics().moved(Direction.IN, 1, value.length);
    }

    /** Removes a chunk again. A chunk of this creator leaves a placeholder, so that its LID is not given. */
    private void remove(long cid) {
        if (!received.get(distance(cid))) {
            return;
        }
        if (isOwn() && Cid.lid(cid) >= peer.ownership().firstLid()) {
            peer.memory().replace(cid, NOTHING, 0, 0);
        } else {
            peer.memory().delete(cid);
        }
        received.clear(distance(cid));
    }

    /** Takes the decision of the arc. */
    void decided(boolean committed, long epoch) {
        assert confined.here() : confined;
        if (isOver()) {
            return;
        }
        if (committed && stage == Stage.TAKING) {
            throw new IllegalStateException("migration " + key + " is committed before everything has come");
        }
        if (committed) {
            serve(epoch);
        } else {
            drop();
        }
        stage = Stage.OVER;
        sourceMayRead = false;
        looks.stop();
        peer.replication().zones().arrived(arriving);
        peer.ownership().end(transition);
        peer.service().wake();
        peer.metrics().ended(committed ? Outcome.ARRIVED : Outcome.DROPPED);
        onEnd.accept(this);
    }

    private void serve(long epoch) {
        assert confined.here() : confined;
        OwnedZone logged = zone;
        if (logged != null) {
            // Before this peer owns the chunks, because their changes must be logged.
            peer.replication().take(logged, first.startCid(), first.endCidInclusive());
        }
        // Before LIDs become free, because this peer owns a new chunk with one of them.
        peer.ownership()
                .learn(new CidRange(
                        first.startCid(), first.endCidInclusive(), Placement.unreplicated(peer.nid(), epoch)));
        if (isOwn()) {
            ChunkMemory memory = peer.memory();
            for (long cid = first.startCid(); cid <= first.endCidInclusive(); cid++) {
                if (!received.get(distance(cid))) {
                    memory.delete(cid);
                }
            }
            Placeholders.returned(peer, first.startCid(), first.endCidInclusive());
        }
        ownedEpoch = epoch;
        LOG.atDebug()
                .addKeyValue("migration", key)
                .addKeyValue("chunks", received.cardinality())
                .addKeyValue("sourceNid", Nid.toHex(first.sourceNid()))
                .addKeyValue("epoch", epoch)
                .log("this storage peer owns chunks that came from another");
        StorageProbe.CHUNKS_ARRIVED.hit();
        if (SlotGroup.isGroup(Cid.nid(first.startCid()))) {
            StorageProbe.SLOT_GROUP_ARRIVED.hit();
        }
    }

    private void drop() {
        assert confined.here() : confined;
        StorageProbe.CHUNKS_DROPPED_AT_TARGET.hit();
        logTombstones(received::nextSetBit);
        for (int i = received.nextSetBit(0); i >= 0; i = received.nextSetBit(i + 1)) {
            remove(first.startCid() + i);
        }
        LOG.atInfo().addKeyValue("migration", key).log("chunks that came from another peer are dropped: it keeps them");
    }

    /** Asks the arc when the source has sent nothing for a while: it may be dead, or its message lost. */
    private void lookAfter() {
        if (isOver()) {
            looks.stop();
            return;
        }
        long silentNanos = peer.clock().nanoTime() - lastNewsNanos;
        if (silentNanos < ASK_AFTER_NANOS) {
            looks.again(ASK_AFTER_NANOS);
            return;
        }
        if (stage == Stage.TAKING && silentNanos >= FORGET_AFTER_NANOS) {
            // Nobody commits a migration that was never sealed here. A late message may have begun it.
            decided(false, 0);
            return;
        }
        peer.arcs()
                .callArc(
                        key.creatorNid(),
                        MessageType.ASK_MIGRATION,
                        new AskMigration(key.creatorNid(), key.number()),
                        reply -> looks.part(() -> told(reply)),
                        failure -> looks.again(ASK_AFTER_NANOS));
    }

    /** Serves the chunks once the source can no longer serve reads, because the source has not said that it stopped. */
    private void serveBehindSource(long epoch) {
        stage = stage == Stage.SEALED ? Stage.OWNED : stage;
        long leftNanos = sourceReadsForNanos();
        if (leftNanos == 0) {
            decided(true, epoch);
        } else {
            peer.scheduler().schedule(leftNanos, () -> looks.part(() -> serveBehindSource(epoch)));
        }
    }

    private void told(MigrationReply reply) {
        if (isOver()) {
            return;
        }
        StorageProbe.MIGRATION_ASKED_OF_ARC.hit();
        switch (reply.state()) {
            case RUNNING -> looks.again(ASK_AFTER_NANOS);
            case COMMITTED -> serveBehindSource(reply.epoch());
            case ABORTED -> decided(false, 0);
        }
    }
}
