package dev.granary.client;

import dev.granary.memory.Exportable;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Cid;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A lock of a chunk that this client holds, by futures. It is a lease: it ends by itself when it is not renewed. Changes
 * through the lock carry its token, and the owner of the chunk refuses them once another one holds the lock, whatever the
 * clocks say (SAFETY rule "ways around the owner"; ADR 0097). Changes that do not go through the lock are not held up by
 * it. Thread-safe.
 */
public final class AsyncChunkLock {

    private final BatchContext context;
    private final long cid;
    private final long token;
    private volatile long leaseNanos;
    private volatile long endsAtNanos;
    private volatile boolean released;

    /** @param sentAtNanos when the request was sent that was granted */
    AsyncChunkLock(BatchContext context, long cid, long token, long leaseNanos, long sentAtNanos) {
        this.context = context;
        this.cid = cid;
        this.token = token;
        this.leaseNanos = leaseNanos;
        this.endsAtNanos = sentAtNanos + leaseNanos;
    }

    /** The chunk. */
    public long cid() {
        return cid;
    }

    /** Greater than the token of every holder before. */
    public long token() {
        return token;
    }

    /** Whether the lease lasts at this moment, by this client's clock; a change through the lock is checked anyway. */
    public boolean isHeld() {
        return !released && remainingNanos() > 0;
    }

    /** What is left of the lease by this client's clock, not negative. */
    public Duration remaining() {
        return Duration.ofNanos(released ? 0 : Math.max(0, remainingNanos()));
    }

    private long remainingNanos() {
        return endsAtNanos - context.retry().clock().nanoTime();
    }

    /** Holds the lock for another lease, counted from now; fails with {@link LockLostException} when it has ended. */
    public CompletableFuture<Void> renew() {
        return Retry.run(context.retry(), () -> "a renewal of the lock of " + Cid.toHex(cid), deadline(), timeout -> {
                    long sentAtNanos = context.retry().clock().nanoTime();
                    return context.directory()
                            .askSuperPeer(Cid.nid(cid), MessageType.RENEW_LOCK, new RenewLock(cid, token), timeout)
                            .thenAccept(reply -> extend(sentAtNanos, reply.leaseNanos()));
                })
                .exceptionallyCompose(this::lostIfUnknown);
    }

    private synchronized void extend(long sentAtNanos, long lengthNanos) {
        leaseNanos = lengthNanos;
        if (sentAtNanos + lengthNanos - endsAtNanos > 0) {
            endsAtNanos = sentAtNanos + lengthNanos;
        }
    }

    private CompletableFuture<Void> lostIfUnknown(Throwable failure) {
        Throwable cause = Retry.unwrap(failure);
        boolean ended = cause.getCause() instanceof RemoteErrorException remote
                && remote.reply().code() == ErrorCode.UNKNOWN_LEASE;
        return CompletableFuture.failedFuture(ended ? new LockLostException(cid) : cause);
    }

    /** The length of a lease. */
    public Duration lease() {
        return Duration.ofNanos(leaseNanos);
    }

    /** Replaces the content of the chunk; fails with {@link LockLostException} when the lock has passed on. */
    public CompletableFuture<Void> put(byte[] value) {
        return change(ChunkSource.of(List.of(value)));
    }

    /** Replaces the content of the chunk by what the object writes; fails as {@link #put(byte[])} does. */
    public CompletableFuture<Void> put(Exportable object) {
        return change(ChunkSource.ofObjects(List.of(object)));
    }

    /** Deletes the chunk; fails as {@link #put(byte[])} does. The lock is held until it is given back. */
    public CompletableFuture<Void> delete() {
        return change(null);
    }

    private CompletableFuture<Void> change(@Nullable ChunkSource source) {
        return ChangeBatch.one(context, cid, source, token, deadline());
    }

    /** Gives the lock back. Done as well when it has ended already. */
    public CompletableFuture<Void> unlock() {
        released = true;
        return Retry.run(
                        context.retry(),
                        () -> "an unlock of " + Cid.toHex(cid),
                        deadline(),
                        timeout -> context.directory()
                                .askSuperPeer(
                                        Cid.nid(cid), MessageType.RELEASE_LOCK, new ReleaseLock(cid, token), timeout))
                .thenApply(_ -> null);
    }

    private long deadline() {
        return context.retry().deadlineAfter(context.options().deadline().toNanos());
    }
}
