package dev.granary.client;

import dev.granary.serialization.Exportable;
import java.time.Duration;

/**
 * A client lock of a chunk that this client holds; its methods wait for each answer. {@link AsyncChunkLock} says what
 * they promise. Thread-safe.
 *
 * <pre>{@code
 * try (ChunkLock lock = granary.lock(cid, Duration.ofSeconds(10), Duration.ofSeconds(5))) {
 *     byte[] value = granary.get(cid);
 *     lock.put(change(value));                 // refused if the lock has passed on meanwhile
 * }
 * }</pre>
 */
public final class ChunkLock implements AutoCloseable {

    private final AsyncChunkLock async;

    /** Wraps a lock with futures; the methods of the new one wait for each answer. */
    public ChunkLock(AsyncChunkLock async) {
        this.async = async;
    }

    /** Returns the CID of the locked chunk. */
    public long cid() {
        return async.cid();
    }

    /** Returns the lock token, which is greater than that of every earlier holder. */
    public long token() {
        return async.token();
    }

    /** Whether the lease has not ended by this client's clock. */
    public boolean isHeld() {
        return async.isHeld();
    }

    /** Returns how much of the lease is left by this client's clock; zero when it has ended. */
    public Duration remaining() {
        return async.remaining();
    }

    /**
     * Renews the lock for another lease, counted from now.
     *
     * @throws LockLostException when the lock has ended
     */
    public void renew() {
        GranaryClient.await(async.renew());
    }

    /**
     * Replaces the content of the chunk.
     *
     * @throws LockLostException when another holder has the lock
     */
    public void put(byte[] value) {
        GranaryClient.await(async.put(value));
    }

    /** Replaces the content of the chunk by what the object writes; fails as {@link #put(byte[])} does. */
    public void put(Exportable object) {
        GranaryClient.await(async.put(object));
    }

    /** Deletes the chunk; fails as {@link #put(byte[])} does. The client holds the lock until it gives it back. */
    public void delete() {
        GranaryClient.await(async.delete());
    }

    /** Gives the lock back. Succeeds also when the lock has ended already. */
    @Override
    public void close() {
        GranaryClient.await(async.unlock());
    }
}
