package dev.granary.client.internal;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.LockHeldException;
import dev.granary.client.LockLostException;
import dev.granary.client.probe.ClientProbe;
import dev.granary.env.Futures;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.AcquireLockReply;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Cid;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * One lock request. When it is granted, the client shows its token to the chunk's owner before the application gets the
 * lock. From then on no earlier holder can change the chunk through its lock.
 */
final class LockAttempt {

    private final BatchContext context;
    private final long cid;
    private final LongSupplier lockIds;
    private final long leaseNanos;
    private final long waitUntilNanos;
    private final long deadlineNanos;

    /** The id of this lock request alone. Attempts follow one another, so the last one has set it. */
    private volatile long lockId;

    /**
     * Makes a lock request without sending it.
     *
     * @param lockIds gives numbers that no other lock request has
     * @param waitNanos how long to wait while another client holds the lock
     */
    LockAttempt(BatchContext context, long cid, LongSupplier lockIds, long leaseNanos, long waitNanos) {
        this.context = context;
        this.cid = cid;
        this.lockIds = lockIds;
        this.lockId = lockIds.getAsLong();
        this.leaseNanos = leaseNanos;
        this.waitUntilNanos = context.retry().deadlineAfter(waitNanos);
        this.deadlineNanos = waitUntilNanos + context.options().deadline().toNanos();
    }

    CompletableFuture<AsyncChunkLock> run() {
        return Retry.run(context.retry(), () -> "a lock of chunk " + Cid.toHex(cid), deadlineNanos, this::ask)
                .thenCompose(this::show);
    }

    private CompletableFuture<AsyncChunkLock> ask(long timeoutNanos) {
        long sentAtNanos = context.retry().clock().nanoTime();
        long waitNanos =
                Math.clamp(waitUntilNanos - sentAtNanos, 0, Math.min(timeoutNanos, ClusterDirectory.SILENCE_NANOS) / 2);
        AcquireLock request = new AcquireLock(cid, lockId, leaseNanos, waitNanos);
        return context.directory()
                .askSuperPeer(Cid.nid(cid), MessageType.ACQUIRE_LOCK, request, timeoutNanos)
                .thenApply(reply -> granted(reply, sentAtNanos))
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(afterItsEnd(Futures.causeOf(failure))));
    }

    /**
     * Turns a failure into one that is retried, with a new lock id, if the lock was granted and its lease ended before
     * an answer arrived.
     */
    private Throwable afterItsEnd(Throwable failure) {
        if (failure instanceof RemoteErrorException remote && remote.code() == ErrorCode.UNKNOWN_LEASE) {
            lockId = lockIds.getAsLong();
            return new Retry.AgainException(remote.reply().message());
        }
        return failure;
    }

    private AsyncChunkLock granted(AcquireLockReply reply, long sentAtNanos) {
        if (reply.token() != 0) {
            return new HeldLock(context, cid, reply.token(), leaseNanos, sentAtNanos);
        }
        if (waitUntilNanos - context.retry().clock().nanoTime() <= 0) {
            ClientProbe.LOCK_HELD_BY_ANOTHER.hit();
            throw new LockHeldException(cid, reply.remainingNanos());
        }
        throw new Retry.AgainException("another one holds the lock of chunk " + Cid.toHex(cid));
    }

    private CompletableFuture<AsyncChunkLock> show(AsyncChunkLock lock) {
        return context.fence(cid, lock.token(), deadlineNanos)
                .thenCompose(outcome -> {
                    if (outcome != ChunkOutcome.OK) {
                        return CompletableFuture.<AsyncChunkLock>failedFuture(Outcomes.failure(outcome, cid));
                    }
                    return lock.isHeld()
                            ? CompletableFuture.completedFuture(lock)
                            : CompletableFuture.<AsyncChunkLock>failedFuture(new LockLostException(cid));
                })
                .exceptionallyCompose(failure -> lock.unlock()
                        .handle((_, _) -> null)
                        .thenCompose(_ -> CompletableFuture.failedFuture(Futures.causeOf(failure))));
    }
}
