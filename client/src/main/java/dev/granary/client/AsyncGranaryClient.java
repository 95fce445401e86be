package dev.granary.client;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Chunks by futures. Every operation finds the owner by itself, retries until its deadline, and fails with a {@link
 * GranaryException}. Thread-safe. Futures complete on threads that receive from the network: what depends on them must
 * not block.
 */
public interface AsyncGranaryClient extends AutoCloseable {

    /**
     * Opens a client and waits until it has found the cluster.
     *
     * @throws DeadlineExceededException when none of the addresses answers before the deadline
     */
    static AsyncGranaryClient connect(ClientOptions options) {
        return ClientProvider.installed().connect(options);
    }

    /**
     * This client with another durability of creates, puts and deletes, those through locks that it takes included.
     * Cheap; everything is shared, so that closing either closes both.
     */
    AsyncGranaryClient withDurability(Durability durability);

    /** Creates a chunk with this content. */
    CompletableFuture<Long> create(byte[] value, Place place);

    /** Creates a chunk that the object writes. */
    CompletableFuture<Long> create(Exportable object, Place place);

    /** Creates chunks with these contents; all of them, or the future fails. */
    CompletableFuture<long[]> createAll(List<byte[]> values, Place place);

    /** Creates chunks that the objects write. An object may be written more than once, by any thread. */
    CompletableFuture<long[]> createObjects(List<? extends Exportable> objects, Place place);

    /** Creates chunks of one size, filled with zeros. */
    CompletableFuture<long[]> createZeroed(int count, int sizeBytes, Place place);

    /** The content of a chunk. */
    CompletableFuture<byte[]> get(long cid);

    /** Fills the object from a chunk. */
    <T extends Importable> CompletableFuture<T> get(long cid, T object);

    /** The contents of chunks in the order of the CIDs; null for those that do not exist or are lost. */
    CompletableFuture<List<byte @Nullable []>> getAll(long[] cids);

    /**
     * Objects filled from chunks, in the order of the CIDs; null for those that do not exist or are lost.
     *
     * @param factory makes the object for an index; called by several threads
     */
    <T extends Importable> CompletableFuture<List<@Nullable T>> getObjects(long[] cids, IntFunction<T> factory);

    /** Replaces the content of a chunk; the size may change. */
    CompletableFuture<Void> put(long cid, byte[] value);

    /** Replaces the content of a chunk by what the object writes. */
    CompletableFuture<Void> put(long cid, Exportable object);

    /** Replaces the contents of chunks, one value for each CID. */
    CompletableFuture<ChunkOutcome[]> putAll(long[] cids, List<byte[]> values);

    /** Replaces the contents of chunks by what the objects write, one for each CID. */
    CompletableFuture<ChunkOutcome[]> putObjects(long[] cids, List<? extends Exportable> objects);

    /** Deletes a chunk. */
    CompletableFuture<Void> delete(long cid);

    /** Deletes chunks. */
    CompletableFuture<ChunkOutcome[]> deleteAll(long[] cids);

    /** Names for chunks. */
    AsyncNames names();

    /**
     * Locks a chunk for a lease, which ends by itself when it is not renewed.
     *
     * @param lease 100 ms to 1 h
     * @param wait how long to wait while another one holds the lock;
     *     the future fails with {@link LockHeldException} then
     */
    CompletableFuture<AsyncChunkLock> lock(long cid, Duration lease, Duration wait);

    /**
     * A lock that somebody holds: taken over by its token, for instance by another process of the holder.
     *
     * @param token of the holder
     */
    AsyncChunkLock heldLock(long cid, long token);

    /** Who holds the lock of a chunk. */
    CompletableFuture<LockView> lockView(long cid);

    /** Closes the client's connections; operations under way fail. */
    @Override
    void close();
}
