package dev.granary.client;

import dev.granary.serialization.Exportable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A lock of a chunk that this client holds, by futures. It is a lease: it ends by itself when it is not renewed.
 * Changes through the lock carry its token, and the owner of the chunk refuses them once another one holds the lock,
 * whatever the clocks say (SAFETY rule "ways around the owner"; ADR 0097).
 * Changes that do not go through the lock are not held up by it. Thread-safe.
 */
public interface AsyncChunkLock {

    /** The chunk. */
    long cid();

    /** Greater than the token of every holder before. */
    long token();

    /** Whether the lease lasts at this moment, by this client's clock; a change through the lock is checked anyway. */
    boolean isHeld();

    /** What is left of the lease by this client's clock, not negative. */
    Duration remaining();

    /** The length of a lease. */
    Duration lease();

    /** Holds the lock for another lease, counted from now; fails with {@link LockLostException} when it has ended. */
    CompletableFuture<Void> renew();

    /** Replaces the content of the chunk; fails with {@link LockLostException} when the lock has passed on. */
    CompletableFuture<Void> put(byte[] value);

    /** Replaces the content of the chunk by what the object writes; fails as {@link #put(byte[])} does. */
    CompletableFuture<Void> put(Exportable object);

    /** Deletes the chunk; fails as {@link #put(byte[])} does. The lock is held until it is given back. */
    CompletableFuture<Void> delete();

    /** Gives the lock back. Done as well when it has ended already. */
    CompletableFuture<Void> unlock();
}
