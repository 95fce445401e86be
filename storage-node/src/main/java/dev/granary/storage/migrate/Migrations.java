package dev.granary.storage.migrate;

import dev.granary.env.Clock;
import dev.granary.env.Confined;
import dev.granary.env.Scheduler;
import dev.granary.env.Steps;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryException;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.ErrorReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.DrainPeer;
import dev.granary.net.message.MigrationMessages.EndMigration;
import dev.granary.net.message.MigrationMessages.MigrationData;
import dev.granary.net.message.MigrationMessages.RunMigration;
import dev.granary.net.message.MigrationMessages.RunMigrationReply;
import dev.granary.net.message.RecoveryMessages.Holdings;
import dev.granary.net.rpc.RequestTable;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import dev.granary.overlay.Nid;
import dev.granary.overlay.SlotGroup;
import dev.granary.process.MigrationRound;
import dev.granary.storage.data.ChunkService;
import dev.granary.storage.data.Ownership;
import dev.granary.storage.lease.ArcCalls;
import dev.granary.storage.lease.Lease;
import dev.granary.storage.probe.StorageProbe;
import dev.granary.storage.replicate.OwnedZones;
import dev.granary.storage.replicate.Replication;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The migrations of a storage peer, as source and as target. Requests come on I/O threads;
 * everything else runs as tasks of the scheduler.
 */
public final class Migrations {

    /** The most LIDs of one migration, so that work for each LID, for which requests wait, stays short. */
    public static final int MAX_LIDS = 1 << 17;

    private static final int MAX_OUTGOING = 4;
    private static final int MAX_INCOMING = 16;
    private static final int MAX_ENDED = 4096;
    private static final long BUSY_RETRY_NANOS = 20_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);

    private final Confined confined = new Confined();
    private final Clock clock;
    private final Scheduler scheduler;
    private final RpcClient rpc;
    private final ArcCalls arcs;
    private final ChunkService service;
    private final Lease lease;
    private final Replication replication;
    private final GroupMoves groupMoves;
    private final MigrationMetrics metrics;
    private final AtomicLong placeholders = new AtomicLong();
    private final Map<MigrationKey, OutgoingMigration> outgoing = new LinkedHashMap<>();
    private final Map<MigrationKey, IncomingMigration> incoming = new LinkedHashMap<>();
    private final Map<MigrationKey, RunMigrationReply> ended = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<MigrationKey, RunMigrationReply> eldest) {
            return size() > MAX_ENDED;
        }
    };
    private final Steps steps;
    private final MigrationRound leaving = new MigrationRound(
            LOG,
            "chunks begin to leave this storage peer, and others may follow",
            "chunks have left this storage peer",
            true);
    private final MigrationRound coming = new MigrationRound(
            LOG,
            "chunks begin to come to this storage peer, and others may follow",
            "chunks have come to this storage peer",
            true);
    private @Nullable Peer peer;
    private boolean stopped;

    /**
     * Makes migrations that have not begun to serve.
     *
     * @param groupMoves learns of slot groups that leave or come
     */
    public Migrations(
            Clock clock,
            Scheduler scheduler,
            RpcClient rpc,
            ArcCalls arcs,
            ChunkService service,
            Lease lease,
            Replication replication,
            GroupMoves groupMoves,
            MigrationMetrics metrics) {
        this.clock = clock;
        this.scheduler = scheduler;
        this.rpc = rpc;
        this.arcs = arcs;
        this.service = service;
        this.lease = lease;
        this.replication = replication;
        this.groupMoves = groupMoves;
        this.metrics = metrics;
        this.steps = new Steps(scheduler, "migration-rounds", MigrationRound.QUIET_NANOS);
    }

    /**
     * Begins to serve.
     *
     * @param epoch the epoch of this incarnation
     */
    public void serve(ChunkMemory memory, Ownership ownership, long epoch) {
        assert confined.here() : confined;
        peer = new Peer(
                clock,
                scheduler,
                rpc,
                arcs,
                service,
                lease,
                memory,
                ownership,
                epoch,
                placeholders,
                replication,
                service.content(memory),
                metrics);
    }

    /** Returns whether no migration from or to this peer runs. */
    public boolean isIdle() {
        assert confined.here() : confined;
        return outgoing.isEmpty() && incoming.isEmpty();
    }

    /** Begins and takes nothing any more, and leaves chunk memory alone. */
    public void stop() {
        assert confined.here() : confined;
        stopped = true;
        peer = null;
        outgoing.values().forEach(OutgoingMigration::cancel);
        incoming.values().forEach(IncomingMigration::cancel);
    }

    /**
     * Returns for how many nanoseconds sources may still serve reads of chunks that this peer has got: this peer must
     * not be replaced before. Called by tasks of the scheduler.
     */
    public long sourcesReadForNanos() {
        return incoming.values().stream()
                .mapToLong(IncomingMigration::sourceReadsForNanos)
                .max()
                .orElse(0);
    }

    /** Notes that a recovery has brought own LIDs back, and has removed their placeholders. */
    public void returned(long startCid, long endCidInclusive) {
        assert confined.here() : confined;
        Peer present = peer;
        if (present != null) {
            Placeholders.returned(present, startCid, endCidInclusive);
        }
    }

    /** Returns how many chunks in memory are placeholders. Called by any thread. */
    public long placeholders() {
        return placeholders.get();
    }

    /** Returns the migrations that have not ended here. Called by tasks of the scheduler. */
    public List<Holdings.Move> moves() {
        assert confined.here() : confined;
        List<Holdings.Move> moves = new ArrayList<>();
        outgoing.values().forEach(each -> moves.add(each.describe()));
        incoming.values().forEach(each -> moves.add(each.describe()));
        return moves;
    }

    /** Adds the requests that this class answers. */
    public void addTo(RequestTable requests) {
        requests.add(MessageType.MIGRATION_DATA, this::takeLater);
        requests.addTask(
                MessageType.RUN_MIGRATION,
                scheduler,
                (request, order) -> withPeer(request, present -> request.reply(run(present, order))));
        requests.addTask(
                MessageType.END_MIGRATION,
                scheduler,
                (request, end) -> withPeer(request, present -> {
                    end(end);
                    request.reply(new Empty());
                }));
        requests.addTask(
                MessageType.DRAIN_PEER,
                scheduler,
                (request, drain) -> withPeer(request, present -> drain(present, request, drain)));
        requests.addTask(
                MessageType.SURVEY,
                scheduler,
                (request, survey) -> withPeer(request, present -> request.reply(new Surveyor(present, survey).look())));
    }

    private void takeLater(RpcRequest request) {
        ByteBuf payload = request.payload().retain();
        scheduler.execute(() -> {
            try {
                withPeer(request, present -> take(present, request, payload));
            } finally {
                payload.release();
            }
        });
    }

    private void drain(Peer present, RpcRequest request, DrainPeer drain) {
        if (drain.epoch() == present.epoch()) {
            service.setDraining(drain.draining());
        }
        if (drain.draining() && !incoming.isEmpty()) {
            // From now on nothing begins to come; but a survey of what is left here would miss what has begun to come.
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS, incoming.size() + " migrations to this storage peer are under way"));
        } else {
            request.reply(new Empty());
        }
    }

    private void withPeer(RpcRequest request, Consumer<Peer> work) {
        Peer present = peer;
        if (present == null) {
            request.fail(
                    stopped
                            ? ErrorReply.of(ErrorCode.SHUTTING_DOWN, "this storage peer is stopping")
                            : ErrorReply.retryLater(BUSY_RETRY_NANOS, "this storage peer is just starting"));
            return;
        }
        try {
            work.accept(present);
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            request.fail(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        } catch (OutOfChunkMemoryException e) {
            // A migration that was begun goes on from where it is.
            request.fail(ErrorReply.retryLater(BUSY_RETRY_NANOS, String.valueOf(e.getMessage())));
        }
    }

    private void showRunning() {
        metrics.show(incoming.size(), outgoing.size());
    }

    /** Counts a migration that has ended here, and tells a little later of the end of its round if it was the last. */
    private void tellEnded(MigrationRound round, MigrationKey key, boolean moved, long chunks) {
        round.ended(key.toString(), moved, chunks, clock.nanoTime());
        Runnable look = () -> round.look(clock.nanoTime());
        steps.after(MigrationRound.QUIET_NANOS, look, look);
    }

    private RunMigrationReply run(Peer present, RunMigration order) {
        assert confined.here() : confined;
        MigrationKey key = new MigrationKey(order.creatorNid(), order.number());
        OutgoingMigration running = outgoing.get(key);
        if (running != null) {
            return running.progress();
        }
        RunMigrationReply before = ended.get(key);
        if (before != null) {
            return before;
        }
        String refusal = refusal(present, order);
        if (refusal != null) {
            return new RunMigrationReply(true, 0, 0, refusal);
        }
        if (outgoing.size() >= MAX_OUTGOING
                || present.ownership().isInTransition(order.startCid(), order.endCidInclusive())) {
            // The arc asks for it again later.
            return new RunMigrationReply(false, 0, 0, "");
        }
        OutgoingMigration begun = new OutgoingMigration(present, order, done -> {
            outgoing.remove(done.key());
            showRunning();
            ended.put(done.key(), done.progress());
            tellEnded(
                    leaving,
                    done.key(),
                    done.committedEpoch() != 0,
                    done.progress().chunks());
            groupLeft(order, done.committedEpoch());
        });
        outgoing.put(key, begun);
        showRunning();
        leaving.began(key.toString(), clock.nanoTime());
        begun.begin();
        if (SlotGroup.isGroup(order.creatorNid())) {
            groupMoves.begun(SlotGroup.of(order.creatorNid()));
        }
        return begun.progress();
    }

    private void groupLeft(RunMigration order, long epoch) {
        if (SlotGroup.isGroup(order.creatorNid())) {
            groupMoves.ended(SlotGroup.of(order.creatorNid()), epoch == 0 ? Nid.NONE : order.targetNid(), epoch);
        }
    }

    private static @Nullable String refusal(Peer present, RunMigration order) {
        if (order.sourceEpoch() != present.epoch()) {
            return "storage peer " + Nid.toHex(present.nid()) + " is another incarnation now";
        }
        long lids = order.endCidInclusive() - order.startCid() + 1;
        if (Cid.nid(order.startCid()) != order.creatorNid()
                || Cid.nid(order.endCidInclusive()) != order.creatorNid()
                || lids < 1
                || lids > maxLids(order.creatorNid())) {
            return "the range is not of one creator, or has more than " + maxLids(order.creatorNid()) + " LIDs";
        }
        if (order.creatorNid() == present.nid()
                && Cid.lid(order.endCidInclusive()) >= present.memory().lidMark()) {
            return "the range reaches beyond the chunks that there are";
        }
        return owns(present, order) ? null : "this storage peer does not own the whole range";
    }

    /** The most LIDs of one migration. A slot group moves as a whole. */
    private static int maxLids(int creatorNid) {
        return SlotGroup.isGroup(creatorNid) ? SlotGroup.MAX_LIDS : MAX_LIDS;
    }

    private static boolean owns(Peer present, RunMigration order) {
        long cid = order.startCid();
        while (Cid.compare(cid, order.endCidInclusive()) <= 0) {
            Optional<CidRange> known = present.ownership().known(cid);
            if (known.isPresent()) {
                if (known.get().placement().owner() != present.nid()) {
                    return false;
                }
                cid = known.get().endCidInclusive() + 1;
                continue;
            }
            if (order.creatorNid() != present.nid()
                    || Cid.lid(cid) < present.ownership().firstLid()) {
                return false;
            }
            Optional<CidRange> next = present.ownership().knownAtOrAfter(cid);
            cid = next.isEmpty() ? order.endCidInclusive() + 1 : next.get().startCid();
        }
        return true;
    }

    private void take(Peer present, RpcRequest request, ByteBuf payload) {
        assert confined.here() : confined;
        MigrationData header = MigrationData.read(payload);
        MigrationKey key = new MigrationKey(header.creatorNid(), header.number());
        if (!present.lease().isValid()) {
            // Without a lease this incarnation may have been replaced. Chunks that it takes would be lost at once.
            request.fail(ErrorReply.retryLater(BUSY_RETRY_NANOS, "this storage peer holds no lease"));
            return;
        }
        if (ended.containsKey(key)) {
            request.fail(ErrorCode.NOT_FOUND, "migration " + key + " has ended here");
            return;
        }
        IncomingMigration running = incoming.get(key);
        if (running == null && (header.flags() & MigrationData.FLAG_READ) == 0) {
            running = begin(present, request, header, key);
        }
        if (running == null) {
            if ((header.flags() & MigrationData.FLAG_READ) != 0) {
                request.fail(ErrorCode.NOT_FOUND, "this storage peer knows no migration " + key);
            }
            return;
        }
        if (!running.isReady()) {
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS, "the zone for migration " + running.key() + " is being opened"));
            return;
        }
        if ((header.flags() & MigrationData.FLAG_READ) != 0) {
            running.letSourceRead(request);
            return;
        }
        takeStep(present, running, request, header, payload);
    }

    /** Takes a step. Its chunks wait for backups as changes of clients do, and take room before anything is changed. */
    private static void takeStep(
            Peer present, IncomingMigration running, RpcRequest request, MigrationData header, ByteBuf payload) {
        OwnedZones zones = present.replication().zones();
        long sizeBytes = running.hasTaken(header) ? 0 : payload.readableBytes();
        ErrorReply full = sizeBytes == 0 ? null : zones.admit(sizeBytes, 0);
        if (full != null) {
            StorageProbe.MIGRATION_STEP_WITHOUT_ROOM.hit();
            request.fail(full);
            return;
        }
        try {
            if (running.take(header, payload)) {
                running.answerWhenLogged(request, header);
            } else {
                request.fail(
                        ErrorCode.NOT_FOUND,
                        "steps before " + header.step() + " of " + running.key() + " are missing here");
            }
        } catch (ChunkMemoryException e) {
            request.fail(noRoom(e));
        } finally {
            zones.carriedOut(sizeBytes, 0);
        }
    }

    private @Nullable IncomingMigration begin(
            Peer present, RpcRequest request, MigrationData header, MigrationKey key) {
        long lids = header.endCidInclusive() - header.startCid() + 1;
        if (header.targetEpoch() != present.epoch() || header.step() != 0) {
            request.fail(ErrorCode.NOT_FOUND, "this incarnation of the storage peer knows no migration " + key);
            return null;
        }
        if (Cid.nid(header.startCid()) != header.creatorNid()
                || Cid.nid(header.endCidInclusive()) != header.creatorNid()
                || lids < 1
                || lids > maxLids(header.creatorNid())
                || ownsSome(present, header)) {
            request.fail(ErrorCode.BAD_REQUEST, "this range cannot be taken");
            return null;
        }
        if (service.isDraining()) {
            request.fail(ErrorCode.DRAINING, "everything is leaving this storage peer");
            return null;
        }
        if (incoming.size() >= MAX_INCOMING
                || present.ownership().isInTransition(header.startCid(), header.endCidInclusive())) {
            request.fail(ErrorReply.retryLater(
                    BUSY_RETRY_NANOS, "other migrations to or from this storage peer are under way"));
            return null;
        }
        IncomingMigration begun = new IncomingMigration(present, header, done -> {
            incoming.remove(done.key());
            showRunning();
            ended.put(done.key(), new RunMigrationReply(false, 0, 0, ""));
            tellEnded(coming, done.key(), done.ownedEpoch() != 0, done.chunks());
            if (done.ownedEpoch() != 0 && SlotGroup.isGroup(header.creatorNid())) {
                groupMoves.came(SlotGroup.of(header.creatorNid()), done.ownedEpoch());
            }
        });
        try {
            begun.begin();
        } catch (ChunkMemoryException e) {
            request.fail(noRoom(e));
            return null;
        }
        incoming.put(key, begun);
        showRunning();
        coming.began(key.toString(), clock.nanoTime());
        return begun;
    }

    /**
     * Returns the answer to a source for which there is no room. It sends the step again if there may be room in a
     * moment, and gives up otherwise.
     */
    private static ErrorReply noRoom(ChunkMemoryException e) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof OutOfChunkMemoryException room && room.isPassing()) {
            return ErrorReply.retryLater(BUSY_RETRY_NANOS, message);
        }
        return ErrorReply.of(ErrorCode.OUT_OF_MEMORY, message);
    }

    /** Returns whether this peer owns one of the chunks: then the message is out of date. */
    private static boolean ownsSome(Peer present, MigrationData header) {
        long cid = header.startCid();
        while (Cid.compare(cid, header.endCidInclusive()) <= 0) {
            Optional<CidRange> known = present.ownership().known(cid);
            if (known.isEmpty()) {
                // Chunks of an earlier incarnation are lost here, or are restored from a cluster backup (ADR 0140).
                boolean own = header.creatorNid() == present.nid()
                        && Cid.lid(header.endCidInclusive())
                                >= present.ownership().firstLid();
                return own
                        || present.ownership()
                                .knownAtOrAfter(cid)
                                .filter(range -> Cid.compare(range.startCid(), header.endCidInclusive()) <= 0)
                                .filter(range -> range.placement().owner() == present.nid())
                                .isPresent();
            }
            if (known.get().placement().owner() == present.nid()) {
                return true;
            }
            cid = known.get().endCidInclusive() + 1;
        }
        return false;
    }

    private void end(EndMigration end) {
        assert confined.here() : confined;
        MigrationKey key = new MigrationKey(end.creatorNid(), end.number());
        IncomingMigration taking = incoming.get(key);
        if (taking != null) {
            taking.decided(end.committed(), end.epoch());
        }
        OutgoingMigration leaving = outgoing.get(key);
        if (leaving != null && !end.committed()) {
            leaving.abortedByArc();
        }
    }
}
