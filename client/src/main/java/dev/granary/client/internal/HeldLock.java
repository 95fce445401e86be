package dev.granary.client.internal;

import dev.granary.client.AsyncChunkLock;
import dev.granary.client.LockLostException;
import dev.granary.env.Futures;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.MessageType;
import dev.granary.net.rpc.RemoteErrorException;
import dev.granary.overlay.Cid;
import dev.granary.serialization.Exportable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A lock by its token. The client's clock counts its lease. Thread-safe. */
final class HeldLock implements AsyncChunkLock {

    private final BatchContext context;
    private final long cid;
    private final long token;
    private volatile long leaseNanos;
    private volatile long endsAtNanos;
    private volatile boolean released;

    /** @param sentAtNanos when the granted request was sent */
    HeldLock(BatchContext context, long cid, long token, long leaseNanos, long sentAtNanos) {
        this.context = context;
        this.cid = cid;
        this.token = token;
        this.leaseNanos = leaseNanos;
        this.endsAtNanos = sentAtNanos + leaseNanos;
    }

    @Override
    public long cid() {
        return cid;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public boolean isHeld() {
        return !released && remainingNanos() > 0;
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(released ? 0 : Math.max(0, remainingNanos()));
    }

    private long remainingNanos() {
        return endsAtNanos - context.retry().clock().nanoTime();
    }

    @Override
    public CompletableFuture<Void> renew() {
        return Retry.run(
                        context.retry(),
                        () -> "a renewal of the lock of chunk " + Cid.toHex(cid),
                        deadline(),
                        timeout -> {
                            long sentAtNanos = context.retry().clock().nanoTime();
                            return context.directory()
                                    .askSuperPeer(
                                            Cid.nid(cid), MessageType.RENEW_LOCK, new RenewLock(cid, token), timeout)
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
        Throwable cause = Futures.causeOf(failure);
        boolean ended = cause.getCause() instanceof RemoteErrorException remote
                && remote.reply().code() == ErrorCode.UNKNOWN_LEASE;
        return CompletableFuture.failedFuture(ended ? new LockLostException(cid) : cause);
    }

    @Override
    public Duration lease() {
        return Duration.ofNanos(leaseNanos);
    }

    @Override
    public CompletableFuture<Void> put(byte[] value) {
        return change(ChunkSource.of(List.of(value)));
    }

    @Override
    public CompletableFuture<Void> put(Exportable object) {
        return change(ChunkSource.ofObjects(List.of(object)));
    }

    @Override
    public CompletableFuture<Void> delete() {
        return change(null);
    }

    private CompletableFuture<Void> change(@Nullable ChunkSource source) {
        return OneChange.run(context, cid, source, token, deadline());
    }

    @Override
    public CompletableFuture<Void> unlock() {
        released = true;
        return Retry.run(
                        context.retry(),
                        () -> "an unlock of chunk " + Cid.toHex(cid),
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
