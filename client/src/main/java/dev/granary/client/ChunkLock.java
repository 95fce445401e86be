package dev.granary.client;

import dev.granary.serialization.Exportable;
import java.time.Duration;

/**
 * A lock of a chunk that this client holds, waiting for each answer; see {@link AsyncChunkLock} for what is promised.
 * Thread-safe.
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

    /** The same lock, waiting for each answer. */
    public ChunkLock(AsyncChunkLock async) {
        this.async = async;
    }

    /** The chunk. */
    public long cid() {
        return async.cid();
    }

    /** Greater than the token of every holder before. */
    public long token() {
        return async.token();
    }

    /** Whether the lease lasts at this moment, by this client's clock. */
    public boolean isHeld() {
        return async.isHeld();
    }

    /** What is left of the lease by this client's clock, not negative. */
    public Duration remaining() {
        return async.remaining();
    }

    /**
     * Holds the lock for another lease, counted from now.
     *
     * @throws LockLostException when it has ended
     */
    public void renew() {
        GranaryClient.await(async.renew());
    }

    /**
     * Replaces the content of the chunk.
     *
     * @throws LockLostException when the lock has passed on
     */
    public void put(byte[] value) {
        GranaryClient.await(async.put(value));
    }

    /** Replaces the content of the chunk by what the object writes; fails as {@link #put(byte[])} does. */
    public void put(Exportable object) {
        GranaryClient.await(async.put(object));
    }

    /** Deletes the chunk; fails as {@link #put(byte[])} does. The lock is held until it is given back. */
    public void delete() {
        GranaryClient.await(async.delete());
    }

    /** Gives the lock back. Done as well when it has ended already. */
    @Override
    public void close() {
        GranaryClient.await(async.unlock());
    }
}
