package dev.granary.client;

import dev.granary.serialization.Exportable;
import dev.granary.serialization.Importable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client whose operations return futures. Every operation finds the owner of a chunk by itself, retries until its
 * deadline, and fails with a {@link GranaryException}. Thread-safe. Futures complete on threads that receive from the
 * network: stages that depend on them must not block.
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
     * Returns this client with another durability level of creates, puts and deletes, also through its locks, and of
     * changes of keys. Cheap: both clients share everything, so closing one closes both.
     */
    AsyncGranaryClient withDurability(Durability durability);

    /** Creates a chunk with this content. The future gives its CID. */
    CompletableFuture<Long> create(byte[] value, Place place);

    /** Creates a chunk that the object writes. The future gives its CID. */
    CompletableFuture<Long> create(Exportable object, Place place);

    /**
     * Creates chunks with these contents. The future gives their CIDs in the same order, or fails if not all were
     * created.
     */
    CompletableFuture<long[]> createAll(List<byte[]> values, Place place);

    /**
     * Creates chunks that the objects write; fails as {@link #createAll} does. An object may be written more than once,
     * by any thread.
     */
    CompletableFuture<long[]> createObjects(List<? extends Exportable> objects, Place place);

    /** Creates chunks of one size, filled with zeros; fails as {@link #createAll} does. */
    CompletableFuture<long[]> createZeroed(int count, int sizeBytes, Place place);

    /**
     * Reads the content of a chunk. The future fails with {@link ChunkNotFoundException} or {@link ChunkLostException}
     * when there is no such chunk.
     */
    CompletableFuture<byte[]> get(long cid);

    /** Fills the object from a chunk, and gives the object; fails as {@link #get(long)} does. */
    <T extends Importable> CompletableFuture<T> get(long cid, T object);

    /** Reads the contents of chunks, in the order of the CIDs; null for chunks that do not exist or are lost. */
    CompletableFuture<List<byte @Nullable []>> getAll(long[] cids);

    /**
     * Fills objects from chunks, in the order of the CIDs; null for chunks that do not exist or are lost.
     *
     * @param factory makes the object for an index; called by several threads
     */
    <T extends Importable> CompletableFuture<List<@Nullable T>> getObjects(long[] cids, IntFunction<T> factory);

    /**
     * Reads chunks and what they refer to: the roots, then the chunks whose CIDs these have stored, and so on. A step
     * is one batch to all owners at once, so that it takes one round trip however many chunks it has; chunks that were
     * created {@linkplain Place#near near} each other need one peer. Each chunk is read once, also where references
     * go round. This is no snapshot of one moment. Each step has the client's deadline.
     *
     * <p>The future gives contents by CID, in the order in which they were found, in a map that cannot be changed.
     * Chunks that do not exist or are lost are left out. It fails with {@link InvalidRequestException} when there are
     * more chunks than {@code reach} allows, and with what {@code references} throws.
     *
     * @param references the CIDs that a content has stored, 0 for none; called by any thread, must not block
     */
    default CompletableFuture<Map<Long, byte[]>> getReachable(
            long[] roots, Function<? super byte[], long[]> references, Reach reach) {
        return new ReachableChunks<byte[]>(this::getAll, references, reach).from(roots);
    }

    /**
     * Reads objects and what they refer to, as {@link #getReachable(long[], Function, Reach)} does.
     *
     * @param factory makes an object; called by several threads
     * @param references the CIDs that an object has stored, 0 for none; called by any thread, must not block
     */
    default <T extends Importable> CompletableFuture<Map<Long, T>> getReachable(
            long[] roots, Supplier<T> factory, Function<? super T, long[]> references, Reach reach) {
        return new ReachableChunks<T>(cids -> getObjects(cids, _ -> factory.get()), references, reach).from(roots);
    }

    /** Replaces the content of a chunk; the size may change. */
    CompletableFuture<Void> put(long cid, byte[] value);

    /** Replaces the content of a chunk by what the object writes. */
    CompletableFuture<Void> put(long cid, Exportable object);

    /** Replaces the contents of chunks, one value for each CID. The future gives the outcome of each chunk. */
    CompletableFuture<ChunkOutcome[]> putAll(long[] cids, List<byte[]> values);

    /**
     * Replaces the contents of chunks by what the objects write, one for each CID. The future gives the outcome of each
     * chunk.
     */
    CompletableFuture<ChunkOutcome[]> putObjects(long[] cids, List<? extends Exportable> objects);

    /** Deletes a chunk. */
    CompletableFuture<Void> delete(long cid);

    /** Deletes chunks. The future gives the outcome of each chunk. */
    CompletableFuture<ChunkOutcome[]> deleteAll(long[] cids);

    /** Returns the names of chunks. */
    AsyncNames names();

    /** Returns keys that are texts, in UTF-8. Cheap. */
    default AsyncKeys<String> keys() {
        return keys(key -> key.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns keys that are anything that can be written as bytes. Cheap.
     *
     * @param bytesOf writes a key as bytes, always the same ones; called by any thread
     */
    <K> AsyncKeys<K> keys(Function<? super K, byte[]> bytesOf);

    /**
     * Locks a chunk for a lease, which ends by itself when it is not renewed.
     *
     * @param lease 100 ms to 1 h
     * @param wait how long to wait while another client holds the lock; after that the future fails with {@link
     *     LockHeldException}
     */
    CompletableFuture<AsyncChunkLock> lock(long cid, Duration lease, Duration wait);

    /**
     * Returns a lock that is held already, by its token; for instance a lock that another process of the holder took.
     *
     * @param token the lock token of the holder
     */
    AsyncChunkLock heldLock(long cid, long token);

    /** Asks for the holder of the lock of a chunk. */
    CompletableFuture<LockView> lockView(long cid);

    /** Returns operations on single chunks that wait for the answer; {@link GranaryClient} uses them. Cheap. */
    default WaitingChunks waitingChunks() {
        return new FutureChunks(this);
    }

    /** Closes the client's connections; operations under way fail. */
    @Override
    void close();
}
