package dev.granary.client;

import dev.granary.env.Clock;
import dev.granary.env.Scheduler;
import dev.granary.memory.Exportable;
import dev.granary.memory.Importable;
import dev.granary.net.FrameException;
import dev.granary.net.Transport;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.Durability;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.HibernationMessages.UnparkPeer;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.MigrationMessages.MigrationReply;
import dev.granary.net.message.NodeRole;
import dev.granary.net.message.PlanMessages.PlanKind;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.message.PlanMessages.StartPlan;
import dev.granary.net.message.RangeMessages.MovedRanges;
import dev.granary.net.message.StatusText;
import dev.granary.net.rpc.RpcClient;
import dev.granary.net.rpc.RpcIdentity;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Chunks by futures. Every operation finds the owner by itself, retries until its deadline, and fails with a {@link
 * GranaryException}. Thread-safe. Futures complete on threads that receive from the network: what depends on them must
 * not block.
 */
public final class AsyncGranaryClient implements AutoCloseable {

    private static final long LOCK_ID_STEP = 0x9E3779B97F4A7C15L;

    private final ClientOptions options;
    private final Retry.Context retry;
    private final RpcClient rpc;
    private final ClusterDirectory directory;
    private final BatchContext context;
    private final AsyncNames names;
    private final AtomicLong lockCount;
    private final MigrationCalls migrations;
    private final AtomicInteger turn;

    /**
     * A client in the caller's world. Applications use {@link GranaryClient#connect}.
     *
     * @param random draws the client's id and the pauses between attempts, on scheduler tasks only after this
     */
    public AsyncGranaryClient(
            Clock clock, Scheduler scheduler, RandomGenerator random, Transport transport, ClientOptions options) {
        this.options = options;
        this.retry = new Retry.Context(
                clock, scheduler, random, options.attemptTimeout().toNanos());
        RpcIdentity identity = new RpcIdentity(NodeRole.CLIENT, 0);
        this.rpc = new RpcClient(transport, clock, scheduler, identity);
        long clientId = random.nextLong(1, Long.MAX_VALUE);
        this.directory = new ClusterDirectory(rpc, identity, options.seeds(), retry, clientId);
        this.migrations = new MigrationCalls(directory);
        this.context = new BatchContext(rpc, directory, retry, options, clientId, new ConcurrentHashMap<>());
        this.names = new AsyncNames(context);
        this.lockCount = new AtomicLong();
        this.turn = new AtomicInteger(CreateBatch.NO_TURN_YET);
    }

    /** A view: whatever counts what this client has sent is the same object. */
    private AsyncGranaryClient(AsyncGranaryClient client, BatchContext context) {
        this.options = context.options();
        this.retry = client.retry;
        this.rpc = client.rpc;
        this.directory = client.directory;
        this.migrations = client.migrations;
        this.context = context;
        this.names = client.names;
        this.lockCount = client.lockCount;
        this.turn = client.turn;
    }

    /**
     * This client with another durability of creates, puts and deletes, those through locks that it takes included. Cheap;
     * everything is shared, so that closing either closes both.
     */
    public AsyncGranaryClient withDurability(Durability durability) {
        return new AsyncGranaryClient(this, context.withDurability(durability));
    }

    /** Creates a chunk with this content. */
    public CompletableFuture<Long> create(byte[] value, Place place) {
        return create(ChunkSource.of(List.of(value)), place, deadline()).thenApply(cids -> cids[0]);
    }

    /** Creates a chunk that the object writes. */
    public CompletableFuture<Long> create(Exportable object, Place place) {
        return create(ChunkSource.ofObjects(List.of(object)), place, deadline()).thenApply(cids -> cids[0]);
    }

    /** Creates chunks with these contents; all of them, or the future fails. */
    public CompletableFuture<long[]> createAll(List<byte[]> values, Place place) {
        return create(ChunkSource.of(values), place, batchDeadline());
    }

    /** Creates chunks that the objects write. An object may be written more than once, by any thread. */
    public CompletableFuture<long[]> createObjects(List<? extends Exportable> objects, Place place) {
        return create(ChunkSource.ofObjects(objects), place, batchDeadline());
    }

    /** Creates chunks of one size, filled with zeros. */
    public CompletableFuture<long[]> createZeroed(int count, int sizeBytes, Place place) {
        if (count < 0 || sizeBytes < 0) {
            return CompletableFuture.failedFuture(new InvalidRequestException(
                    count + " chunks of " + sizeBytes + " bytes cannot be created: neither may be negative"));
        }
        return create(ChunkSource.zeroed(count, sizeBytes), place, batchDeadline());
    }

    private CompletableFuture<long[]> create(ChunkSource source, Place place, long deadlineNanos) {
        return new CreateBatch(context, source, place, turn, deadlineNanos).run();
    }

    /** The content of a chunk. */
    public CompletableFuture<byte[]> get(long cid) {
        return getOne(cid, (in, sizeBytes) -> {
            byte[] value = new byte[sizeBytes];
            in.readBytes(value);
            return value;
        });
    }

    /** Fills the object from a chunk. */
    public <T extends Importable> CompletableFuture<T> get(long cid, T object) {
        return getOne(cid, (in, sizeBytes) -> {
            ChunkBuffers.load(object, in, sizeBytes);
            return object;
        });
    }

    /** A found value, or the status that says why there is none. */
    private record Answer<T>(int status, @Nullable T value) {}

    private <T> CompletableFuture<T> getOne(long cid, BiFunction<ByteBuf, Integer, T> reader) {
        return Retry.run(
                retry,
                () -> "a get of chunk " + Cid.toHex(cid),
                deadline(),
                directory.newsOf(cid),
                timeout -> context.callOwner(
                                cid,
                                Nid.NONE,
                                MessageType.GET,
                                out -> out.writeIntLE(0).writeIntLE(1).writeLongLE(cid),
                                in -> readOne(cid, in, reader),
                                timeout)
                        .thenApply(answer -> valueOf(cid, answer)));
    }

    private <T> Answer<T> readOne(long cid, ByteBuf in, BiFunction<ByteBuf, Integer, T> reader) {
        int done = in.readIntLE();
        if (done != 1) {
            throw new FrameException("a get of one chunk was answered for " + done);
        }
        int result = in.readIntLE();
        if (result >= 0) {
            return new Answer<>(ChunkStatus.OK, reader.apply(in, result));
        }
        if (result == -ChunkStatus.WRONG_OWNER) {
            directory.suspect(cid);
            directory.learnMoved(MovedRanges.read(in));
        }
        return new Answer<>(-result, null);
    }

    private <T> T valueOf(long cid, Answer<T> answer) {
        if (answer.value() != null) {
            return answer.value();
        }
        if (answer.status() == ChunkStatus.WRONG_OWNER) {
            throw new Retry.AgainException("the owner has changed");
        }
        throw ChunkOutcome.of(answer.status()).failure(cid);
    }

    /** The contents of chunks in the order of the CIDs; null for those that do not exist or are lost. */
    public CompletableFuture<List<byte @Nullable []>> getAll(long[] cids) {
        byte[][] values = new byte[cids.length][];
        return get(cids, new ChunkSink() {
                    @Override
                    public void found(int index, ByteBuf in, int sizeBytes) {
                        byte[] value = new byte[sizeBytes];
                        in.readBytes(value);
                        values[index] = value;
                    }

                    @Override
                    public void missing(int index, ChunkOutcome outcome) {
                        values[index] = null;
                    }
                })
                .thenApply(_ -> Arrays.asList(values));
    }

    /**
     * Objects filled from chunks, in the order of the CIDs; null for those that do not exist or are lost.
     *
     * @param factory makes the object for an index; called by several threads
     */
    public <T extends Importable> CompletableFuture<List<@Nullable T>> getObjects(long[] cids, IntFunction<T> factory) {
        List<@Nullable T> objects = new ArrayList<>(Collections.nCopies(cids.length, null));
        return get(cids, new ChunkSink() {
                    @Override
                    public void found(int index, ByteBuf in, int sizeBytes) {
                        T object = factory.apply(index);
                        ChunkBuffers.load(object, in, sizeBytes);
                        objects.set(index, object);
                    }

                    @Override
                    public void missing(int index, ChunkOutcome outcome) {
                        objects.set(index, null);
                    }
                })
                .thenApply(_ -> objects);
    }

    private CompletableFuture<Void> get(long[] cids, ChunkSink sink) {
        return new GetBatch(context, cids.clone(), sink, batchDeadline()).run();
    }

    /** Replaces the content of a chunk; the size may change. */
    public CompletableFuture<Void> put(long cid, byte[] value) {
        return changeOne(cid, ChunkSource.of(List.of(value)));
    }

    /** Replaces the content of a chunk by what the object writes. */
    public CompletableFuture<Void> put(long cid, Exportable object) {
        return changeOne(cid, ChunkSource.ofObjects(List.of(object)));
    }

    /** Replaces the contents of chunks, one value for each CID. */
    public CompletableFuture<ChunkOutcome[]> putAll(long[] cids, List<byte[]> values) {
        return change(cids, ChunkSource.of(values), batchDeadline());
    }

    /** Replaces the contents of chunks by what the objects write, one for each CID. */
    public CompletableFuture<ChunkOutcome[]> putObjects(long[] cids, List<? extends Exportable> objects) {
        return change(cids, ChunkSource.ofObjects(objects), batchDeadline());
    }

    /** Deletes a chunk. */
    public CompletableFuture<Void> delete(long cid) {
        return changeOne(cid, null);
    }

    /** Deletes chunks. */
    public CompletableFuture<ChunkOutcome[]> deleteAll(long[] cids) {
        return change(cids, null, batchDeadline());
    }

    private CompletableFuture<Void> changeOne(long cid, @Nullable ChunkSource source) {
        return ChangeBatch.one(context, cid, source, 0, deadline());
    }

    private CompletableFuture<ChunkOutcome[]> change(long[] cids, @Nullable ChunkSource source, long deadlineNanos) {
        if (source != null && source.count() != cids.length) {
            return CompletableFuture.failedFuture(
                    new InvalidRequestException(cids.length + " CIDs with " + source.count() + " contents"));
        }
        return new ChangeBatch(context, cids.clone(), source, deadlineNanos).run();
    }

    /** Names for chunks. */
    public AsyncNames names() {
        return names;
    }

    /**
     * Locks a chunk for a lease, which ends by itself when it is not renewed.
     *
     * @param lease 100 ms to 1 h
     * @param wait how long to wait while another one holds the lock; the future fails with {@link LockHeldException} then
     */
    public CompletableFuture<AsyncChunkLock> lock(long cid, Duration lease, Duration wait) {
        if (wait.isNegative()) {
            return CompletableFuture.failedFuture(new InvalidRequestException("a wait of " + wait + " is negative"));
        }
        return new LockAttempt(context, cid, this::nextLockId, lease.toNanos(), wait.toNanos()).run();
    }

    /** Multiplied by an odd number, so that the wishes of all clients have ids far apart. */
    private long nextLockId() {
        long lockId = context.clientId() + lockCount.incrementAndGet() * LOCK_ID_STEP;
        return lockId == 0 ? LOCK_ID_STEP : lockId;
    }

    /**
     * A lock that somebody holds: taken over by its token, for instance by another process of the holder.
     *
     * @param token of the holder
     */
    public AsyncChunkLock heldLock(long cid, long token) {
        return new AsyncChunkLock(
                context, cid, token, 0, context.retry().clock().nanoTime());
    }

    /** Who holds the lock of a chunk. */
    public CompletableFuture<LockView> lockView(long cid) {
        return Retry.run(
                        retry,
                        () -> "a look at the lock of " + Cid.toHex(cid),
                        deadline(),
                        timeout ->
                                directory.askSuperPeer(Cid.nid(cid), MessageType.SHOW_LOCK, new ShowLock(cid), timeout))
                .thenApply(reply ->
                        new LockView(reply.token(), Duration.ofNanos(reply.remainingNanos()), reply.waiting()));
    }

    /** The ring and the storage peers, fetched anew. */
    public CompletableFuture<ClusterView> view() {
        return Retry.run(retry, () -> "a look at the cluster", deadline(), directory::refresh);
    }

    /** The status of the whole cluster as JSON, see docs/formats/status.md. */
    public CompletableFuture<String> statusJson() {
        return Retry.run(retry, () -> "a look at the cluster's status", deadline(), timeout -> directory
                .status(timeout)
                .thenApply(StatusText::json));
    }

    /**
     * Begins to move consecutive chunks of one creator and one owner to another storage peer. They are read and written
     * meanwhile. Completes once that is recorded; {@link #awaitMigration} waits for the end.
     *
     * @param targetNid who shall own them
     */
    public CompletableFuture<MigrationReply> beginMigration(long startCid, long endCidInclusive, int targetNid) {
        return migrations.begin(startCid, endCidInclusive, targetNid, deadline());
    }

    /** Completes when a migration has ended, with how. */
    public CompletableFuture<MigrationReply> awaitMigration(MigrationReply begun) {
        return migrations.await(begun, batchDeadline());
    }

    /**
     * Has chunks of one creator moved to a storage peer, in as many migrations as it takes; those that it owns already stay.
     *
     * @param startCid the first
     * @param endCidInclusive the last
     */
    public CompletableFuture<PlanReply> startMove(long startCid, long endCidInclusive, int targetNid) {
        return migrations.startPlan(
                new StartPlan(PlanKind.MOVE, targetNid, startCid, endCidInclusive), batchDeadline());
    }

    /** Has everything leave a storage peer, which takes no new chunks from then on. */
    public CompletableFuture<PlanReply> startDrain(int nid) {
        return migrations.startPlan(new StartPlan(PlanKind.DRAIN, nid, 0, 0), batchDeadline());
    }

    /** Has a storage peer take its share of what the others have. */
    public CompletableFuture<PlanReply> startSpread(int nid) {
        return migrations.startPlan(new StartPlan(PlanKind.SPREAD, nid, 0, 0), batchDeadline());
    }

    /** Ends a plan of moves: none begins any more, those under way are given up, what has moved stays. */
    public CompletableFuture<Void> abortPlan(int homeNid, long number) {
        return migrations.abortPlan(homeNid, number, deadline());
    }

    /**
     * Ends the wait for those members of a zone that hold no lease: it is recovered from the copies that there are, and what
     * only the missing ones have is lost.
     *
     * @param zone its identifier
     */
    public CompletableFuture<Void> recoverZone(int zone) {
        return migrations.recoverZone(zone, deadline());
    }

    /**
     * Takes a storage peer a step through a planned stop, and tells how far it is (ADR 0120).
     *
     * @param nid the storage peer
     * @param step what is wanted; all storage peers are to refuse changes before the first one is parked
     */
    public CompletableFuture<HibernateReply> hibernate(int nid, Hibernate.Step step) {
        return Retry.run(
                retry,
                () -> "a planned stop of storage peer " + Nid.toHex(nid),
                deadline(),
                timeout -> directory.askStoragePeer(nid, MessageType.HIBERNATE, new Hibernate(step), timeout));
    }

    /** Gives up a storage peer that is parked: what has copies is recovered from them, all else that it had is lost. */
    public CompletableFuture<Void> unpark(int nid) {
        return Retry.run(
                        retry,
                        () -> "giving up parked storage peer " + Nid.toHex(nid),
                        deadline(),
                        timeout -> directory.askSuperPeer(nid, MessageType.UNPARK_PEER, new UnparkPeer(nid), timeout))
                .thenAccept(done -> {});
    }

    /** What backups and their restoration ask beside reading chunks. */
    public BackupCalls backups() {
        return new BackupCalls(context);
    }

    /** The plans of moves as JSON, one text of each super-peer that answers (docs/guides/migration.md). */
    public CompletableFuture<List<String>> plansJson() {
        return migrations.plans(deadline());
    }

    /**
     * Says how many super-peers the ring is to have. Candidates come onto it and members leave it one after the other; the
     * status tells how far that is.
     *
     * @param size at least 1
     */
    public CompletableFuture<Void> resizeRing(int size) {
        return Retry.run(retry, () -> "resizing the ring", deadline(), timeout -> directory.resizeRing(size, timeout))
                .thenAccept(done -> {});
    }

    private long deadline() {
        return retry.deadlineAfter(options.deadline().toNanos());
    }

    private long batchDeadline() {
        return retry.deadlineAfter(options.batchDeadline().toNanos());
    }

    /** Closes the client's connections; operations under way fail. The scheduler and the transport stay the caller's. */
    @Override
    public void close() {
        retry.pauses().close();
        rpc.close();
    }
}
