package dev.granary.client;

import dev.granary.env.Futures;
import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client whose operations wait for each answer. Thread-safe; one instance is enough for a process.
 *
 * <pre>{@code
 * try (GranaryClient granary = GranaryClient.connect(ClientOptions.of("localhost:7400"))) {
 *     long cid = granary.create("hello".getBytes(UTF_8));
 *     byte[] value = granary.get(cid);
 * }
 * }</pre>
 */
public final class GranaryClient implements AutoCloseable {

    private final AsyncGranaryClient async;
    private final WaitingChunks waiting;
    private final Names names;

    /** Wraps a client with futures; the methods of the new one wait for each answer. */
    public GranaryClient(AsyncGranaryClient async) {
        this.async = async;
        this.waiting = async.waitingChunks();
        this.names = new Names(async.names());
    }

    /**
     * Opens a client and finds the cluster.
     *
     * @throws DeadlineExceededException when none of the addresses answers before the deadline
     */
    public static GranaryClient connect(ClientOptions options) {
        return new GranaryClient(AsyncGranaryClient.connect(options));
    }

    /** Returns the same client with futures. */
    public AsyncGranaryClient async() {
        return async;
    }

    /** Returns this client with another durability level of changes; see {@link AsyncGranaryClient#withDurability}. */
    public GranaryClient withDurability(Durability durability) {
        return new GranaryClient(async.withDurability(durability));
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

    /** Creates chunks of one size, filled with zeros, and returns their CIDs. */
    public long[] createZeroed(int count, int sizeBytes, Place place) {
        return await(async.createZeroed(count, sizeBytes, place));
    }

    /**
     * Returns the content of a chunk.
     *
     * @throws ChunkNotFoundException when there is no such chunk
     * @throws ChunkLostException when it was lost with its storage peer
     */
    public byte[] get(long cid) {
        return waiting.get(cid);
    }

    /** Fills the object from a chunk and returns it; fails as {@link #get(long)} does. */
    public <T extends Importable> T get(long cid, T object) {
        return waiting.get(cid, object);
    }

    /** Returns the contents of chunks, in the order of the CIDs; null for chunks that do not exist or are lost. */
    public List<byte @Nullable []> getAll(long[] cids) {
        return await(async.getAll(cids));
    }

    /** Returns objects filled from chunks, in the order of the CIDs; null for chunks that do not exist or are lost. */
    public <T extends Importable> List<@Nullable T> getObjects(long[] cids, IntFunction<T> factory) {
        return await(async.getObjects(cids, factory));
    }

    /**
     * Returns chunks and what they refer to, by CID, in the order in which they were found; see {@link
     * AsyncGranaryClient#getReachable(long[], Function, Reach)}.
     *
     * @param references the CIDs that a content has stored, 0 for none; called by any thread, must not block
     * @throws InvalidRequestException when there are more chunks than {@code reach} allows
     */
    public Map<Long, byte[]> getReachable(long[] roots, Function<? super byte[], long[]> references, Reach reach) {
        return await(async.getReachable(roots, references, reach));
    }

    /**
     * Returns objects and what they refer to, as {@link #getReachable(long[], Function, Reach)} does.
     *
     * @param factory makes an object; called by several threads
     */
    public <T extends Importable> Map<Long, T> getReachable(
            long[] roots, Supplier<T> factory, Function<? super T, long[]> references, Reach reach) {
        return await(async.getReachable(roots, factory, references, reach));
    }

    /** Replaces the content of a chunk; fails as {@link #get(long)} does. */
    public void put(long cid, byte[] value) {
        waiting.put(cid, value);
    }

    /** Replaces the content of a chunk by what the object writes; fails as {@link #get(long)} does. */
    public void put(long cid, Exportable object) {
        waiting.put(cid, object);
    }

    /** Replaces the contents of chunks, one value for each CID, and returns the outcome of each. */
    public ChunkOutcome[] putAll(long[] cids, List<byte[]> values) {
        return await(async.putAll(cids, values));
    }

    /**
     * Replaces the contents of chunks by what the objects write, one for each CID, and returns the outcome of each.
     */
    public ChunkOutcome[] putObjects(long[] cids, List<? extends Exportable> objects) {
        return await(async.putObjects(cids, objects));
    }

    /** Deletes a chunk; fails as {@link #get(long)} does. */
    public void delete(long cid) {
        waiting.delete(cid);
    }

    /** Deletes chunks and returns the outcome of each. */
    public ChunkOutcome[] deleteAll(long[] cids) {
        return await(async.deleteAll(cids));
    }

    /** Returns the names of chunks. */
    public Names names() {
        return names;
    }

    /** Returns keys that are texts, in UTF-8. Cheap. */
    public Keys<String> keys() {
        return new Keys<>(async.keys());
    }

    /**
     * Returns keys that are anything that can be written as bytes. Cheap.
     *
     * @param bytesOf writes a key as bytes, always the same ones; called by any thread
     */
    public <K> Keys<K> keys(Function<? super K, byte[]> bytesOf) {
        return new Keys<>(async.keys(bytesOf));
    }

    /**
     * Locks a chunk for a lease, which ends by itself when it is not renewed.
     *
     * @param lease 100 ms to 1 h
     * @param wait how long to wait while another client holds the lock
     * @throws LockHeldException when another client holds the lock for longer
     */
    public ChunkLock lock(long cid, Duration lease, Duration wait) {
        return new ChunkLock(await(async.lock(cid, lease, wait)));
    }

    /** Returns a lock that is held already, by its token; see {@link AsyncGranaryClient#heldLock}. */
    public ChunkLock heldLock(long cid, long token) {
        return new ChunkLock(async.heldLock(cid, token));
    }

    /** Returns the holder of the lock of a chunk. */
    public LockView lockView(long cid) {
        return await(async.lockView(cid));
    }

    /**
     * Waits for a future of an {@link AsyncGranaryClient} and returns its value. The future ends by the client's
     * deadline, so this method needs none.
     *
     * @throws GranaryException when the future fails
     */
    public static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GranaryException(
                    "the calling thread was interrupted while it waited for an answer; a change may have been carried out:"
                            + " read the chunk to see whether it was",
                    e);
        } catch (ExecutionException e) {
            Throwable cause = Futures.causeOf(e);
            if (cause instanceof GranaryException known) {
                known.addSuppressed(new GranaryException("called here"));
                throw known;
            }
            throw new GranaryException("an operation failed unexpectedly: " + cause, cause);
        }
    }

    @Override
    public void close() {
        async.close();
    }
}
