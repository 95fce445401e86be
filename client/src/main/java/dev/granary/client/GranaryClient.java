package dev.granary.client;

import dev.granary.env.SystemClock;
import dev.granary.env.ThreadScheduler;
import dev.granary.memory.Exportable;
import dev.granary.memory.Importable;
import dev.granary.net.Transport;
import dev.granary.net.message.Durability;
import dev.granary.net.message.HibernationMessages.Hibernate;
import dev.granary.net.message.HibernationMessages.HibernateReply;
import dev.granary.net.message.PlanMessages.PlanReply;
import dev.granary.net.netty.NettyOptions;
import dev.granary.net.netty.NettyTransport;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chunks, waiting for each answer. Thread-safe; one instance is enough for a process.
 *
 * <pre>{@code
 * try (GranaryClient granary = GranaryClient.connect(ClientOptions.of("localhost:7400"))) {
 *     long cid = granary.create("hello".getBytes(UTF_8));
 *     byte[] value = granary.get(cid);
 * }
 * }</pre>
 */
public final class GranaryClient implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(GranaryClient.class);

    private final AsyncGranaryClient async;
    private final Names names;
    private final Transport transport;
    private final ThreadScheduler scheduler;

    private GranaryClient(AsyncGranaryClient async, Transport transport, ThreadScheduler scheduler) {
        this.async = async;
        this.names = new Names(async.names());
        this.transport = transport;
        this.scheduler = scheduler;
    }

    /**
     * Opens a client and finds the cluster.
     *
     * @throws DeadlineExceededException when no seed answers before the deadline
     */
    public static GranaryClient connect(ClientOptions options) {
        SystemClock clock = new SystemClock();
        ThreadScheduler scheduler =
                new ThreadScheduler("granary-client", failure -> LOG.error("A task of the client failed", failure));
        Transport transport = new NettyTransport(NettyOptions.defaults().withIoThreads(options.ioThreads()));
        SplittableRandom random = new SplittableRandom(new SecureRandom().nextLong());
        GranaryClient client = new GranaryClient(
                new AsyncGranaryClient(clock, scheduler, random, transport, options), transport, scheduler);
        try {
            client.view();
            return client;
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** The same client with futures. */
    public AsyncGranaryClient async() {
        return async;
    }

    /** This client with another durability of changes; see {@link AsyncGranaryClient#withDurability}. */
    public GranaryClient withDurability(Durability durability) {
        return new GranaryClient(async.withDurability(durability), transport, scheduler);
    }

    /** Creates a chunk anywhere and returns its CID. */
    public long create(byte[] value) {
        return create(value, Place.anywhere());
    }

    /** Creates a chunk and returns its CID. */
    public long create(byte[] value, Place place) {
        return await(async.create(value, place));
    }

    /** Creates a chunk that the object writes and returns its CID. */
    public long create(Exportable object, Place place) {
        return await(async.create(object, place));
    }

    /** Creates chunks with these contents and returns their CIDs in the same order. */
    public long[] createAll(List<byte[]> values, Place place) {
        return await(async.createAll(values, place));
    }

    /** Creates chunks that the objects write and returns their CIDs in the same order. */
    public long[] createObjects(List<? extends Exportable> objects, Place place) {
        return await(async.createObjects(objects, place));
    }

    /** Creates chunks of one size, filled with zeros. */
    public long[] createZeroed(int count, int sizeBytes, Place place) {
        return await(async.createZeroed(count, sizeBytes, place));
    }

    /**
     * The content of a chunk.
     *
     * @throws ChunkNotFoundException when there is none
     * @throws ChunkLostException when it was lost with its storage peer
     */
    public byte[] get(long cid) {
        return await(async.get(cid));
    }

    /** Fills the object from a chunk; fails as {@link #get(long)} does. */
    public <T extends Importable> T get(long cid, T object) {
        return await(async.get(cid, object));
    }

    /** The contents of chunks in the order of the CIDs; null for those that do not exist or are lost. */
    public List<byte @Nullable []> getAll(long[] cids) {
        return await(async.getAll(cids));
    }

    /** Objects filled from chunks, in the order of the CIDs; null for those that do not exist or are lost. */
    public <T extends Importable> List<@Nullable T> getObjects(long[] cids, IntFunction<T> factory) {
        return await(async.getObjects(cids, factory));
    }

    /** Replaces the content of a chunk; fails as {@link #get(long)} does. */
    public void put(long cid, byte[] value) {
        await(async.put(cid, value));
    }

    /** Replaces the content of a chunk by what the object writes; fails as {@link #get(long)} does. */
    public void put(long cid, Exportable object) {
        await(async.put(cid, object));
    }

    /** Replaces the contents of chunks, one value for each CID. */
    public ChunkOutcome[] putAll(long[] cids, List<byte[]> values) {
        return await(async.putAll(cids, values));
    }

    /** Replaces the contents of chunks by what the objects write, one for each CID. */
    public ChunkOutcome[] putObjects(long[] cids, List<? extends Exportable> objects) {
        return await(async.putObjects(cids, objects));
    }

    /** Deletes a chunk; fails as {@link #get(long)} does. */
    public void delete(long cid) {
        await(async.delete(cid));
    }

    /** Deletes chunks. */
    public ChunkOutcome[] deleteAll(long[] cids) {
        return await(async.deleteAll(cids));
    }

    /** Names for chunks. */
    public Names names() {
        return names;
    }

    /**
     * Locks a chunk for a lease, which ends by itself when it is not renewed.
     *
     * @param lease 100 ms to 1 h
     * @param wait how long to wait while another one holds the lock
     * @throws LockHeldException when another one holds it for longer
     */
    public ChunkLock lock(long cid, Duration lease, Duration wait) {
        return new ChunkLock(await(async.lock(cid, lease, wait)));
    }

    /** A lock that somebody holds: taken over by its token; see {@link AsyncGranaryClient#heldLock}. */
    public ChunkLock heldLock(long cid, long token) {
        return new ChunkLock(async.heldLock(cid, token));
    }

    /** Who holds the lock of a chunk. */
    public LockView lockView(long cid) {
        return await(async.lockView(cid));
    }

    /** The ring and the storage peers, fetched anew. */
    public ClusterView view() {
        return await(async.view());
    }

    /** The status of the whole cluster as JSON, see docs/formats/status.md. */
    public String statusJson() {
        return await(async.statusJson());
    }

    /** See {@link AsyncGranaryClient#startMove}. */
    public PlanReply startMove(long startCid, long endCidInclusive, int targetNid) {
        return await(async.startMove(startCid, endCidInclusive, targetNid));
    }

    /** See {@link AsyncGranaryClient#startDrain}. */
    public PlanReply startDrain(int nid) {
        return await(async.startDrain(nid));
    }

    /** See {@link AsyncGranaryClient#startSpread}. */
    public PlanReply startSpread(int nid) {
        return await(async.startSpread(nid));
    }

    /** See {@link AsyncGranaryClient#abortPlan}. */
    public void abortPlan(int homeNid, long number) {
        await(async.abortPlan(homeNid, number));
    }

    /** See {@link AsyncGranaryClient#recoverZone}. */
    public void recoverZone(int zone) {
        await(async.recoverZone(zone));
    }

    /** See {@link AsyncGranaryClient#hibernate}. */
    public HibernateReply hibernate(int nid, Hibernate.Step step) {
        return await(async.hibernate(nid, step));
    }

    /** See {@link AsyncGranaryClient#unpark}. */
    public void unpark(int nid) {
        await(async.unpark(nid));
    }

    /** See {@link AsyncGranaryClient#plansJson}. */
    public List<String> plansJson() {
        return await(async.plansJson());
    }

    /** Says how many super-peers the ring is to have; see {@link AsyncGranaryClient#resizeRing}. */
    public void resizeRing(int size) {
        await(async.resizeRing(size));
    }

    /** Every future of the client ends by its deadline, so that this needs none of its own. */
    static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GranaryException(
                    "interrupted while waiting for an answer; a change may have been carried out", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof GranaryException known) {
                known.addSuppressed(new GranaryException("called here"));
                throw known;
            }
            throw new GranaryException("unexpected failure: " + cause, cause);
        }
    }

    @Override
    public void close() {
        async.close();
        transport.close();
        scheduler.close();
    }
}
