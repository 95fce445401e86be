package dev.granary.client;

import dev.granary.serialization.Exportable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A client lock of a chunk that this client holds; its methods return futures. A lock is a lease: it ends by itself
 * when it is not renewed. Changes through the lock carry its token. The owner of the chunk refuses them once it has
 * seen the token of a later holder, whatever the clocks say (SAFETY rule "ways around the owner"; ADR 0097). The lock
 * does not hold up changes that do not go through it. Thread-safe.
 */
public interface AsyncChunkLock {

    /** Returns the CID of the locked chunk. */
    long cid();

    /** Returns the lock token, which is greater than that of every earlier holder. */
    long token();

    /**
     * Whether the lease has not ended by this client's clock. The owner checks each change through the lock anyway.
     */
    boolean isHeld();

    /** Returns how much of the lease is left by this client's clock; zero when it has ended. */
    Duration remaining();

    /** Returns the length of the lease. */
    Duration lease();

    /**
     * Renews the lock for another lease, counted from now. The future fails with {@link LockLostException} when the
     * lock has ended.
     */
    CompletableFuture<Void> renew();

    /**
     * Replaces the content of the chunk. The future fails with {@link LockLostException} when another holder has the
     * lock.
     */
    CompletableFuture<Void> put(byte[] value);

    /** Replaces the content of the chunk by what the object writes; fails as {@link #put(byte[])} does. */
    CompletableFuture<Void> put(Exportable object);

    /** Deletes the chunk; fails as {@link #put(byte[])} does. The client holds the lock until it gives it back. */
    CompletableFuture<Void> delete();

    /** Gives the lock back. The future succeeds also when the lock has ended already. */
    CompletableFuture<Void> unlock();
}
