package dev.granary.superpeer.lock;

import dev.granary.env.Steps;
import dev.granary.net.message.Empty;
import dev.granary.net.message.ErrorCode;
import dev.granary.net.message.LockMessages.AcquireLock;
import dev.granary.net.message.LockMessages.AcquireLockReply;
import dev.granary.net.message.LockMessages.ReleaseLock;
import dev.granary.net.message.LockMessages.RenewLock;
import dev.granary.net.message.LockMessages.RenewLockReply;
import dev.granary.net.message.LockMessages.ShowLock;
import dev.granary.net.message.LockMessages.ShowLockReply;
import dev.granary.net.rpc.RpcRequest;
import dev.granary.overlay.Cid;
import dev.granary.overlay.Nid;
import dev.granary.overlay.NodeRole;
import dev.granary.superpeer.lease.LeaseTerms;
import dev.granary.superpeer.lock.LockQueue.Waiter;
import dev.granary.superpeer.node.Answers;
import dev.granary.superpeer.node.Async;
import dev.granary.superpeer.node.Node;
import dev.granary.superpeer.node.Responsibility;
import dev.granary.superpeer.node.SuperPeerMemory;
import dev.granary.superpeer.probe.SuperPeerProbe;
import dev.granary.superpeer.state.ArcCommand;
import dev.granary.superpeer.state.ArcResult;
import dev.granary.superpeer.state.arc.ArcState;
import dev.granary.superpeer.state.name.LockCommand;
import dev.granary.superpeer.state.name.LockRecord;
import dev.granary.superpeer.state.name.LockResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Grants the client locks of one arc (ADR 0097). The holder of a lock is committed. Only this super-peer knows when a
 * lease ends, and it commits that before the lock passes on. Runs as tasks of the node's scheduler.
 *
 * <p>Invariants: (1) a lock passes on only after its holder has given it back, or after the grantor's wait for its
 * lease counted from the last renewal that was handled here, or from {@link #begin}; (2) one command for a lock is
 * being committed at a time; (3) waiting lock requests are served in the order in which they came first.
 */
public final class LockService {

    /** The longest time for which an answer is held back. */
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A waiting client must ask again within this time, or it loses its place. */
    private static final long KEEP_PLACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The pause after a task that threw. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Node node;
    private final Steps steps;
    private final ArcState state;
    private final Function<ArcCommand, CompletableFuture<ArcResult>> commit;
    private final Responsibility responsibility;
    private final BooleanSupplier room;
    private final Map<Long, LockQueue> queues = new HashMap<>();

    /** The queues in which a lock request waits. */
    private final Set<LockQueue> waited = new LinkedHashSet<>();

    private boolean stopped;

    /**
     * @param commit through which all changes of the state go
     * @param room whether the state may become larger
     */
    public LockService(
            Node node,
            ArcState state,
            Function<ArcCommand, CompletableFuture<ArcResult>> commit,
            Responsibility responsibility,
            BooleanSupplier room) {
        this.node = node;
        this.steps = new Steps(node.environment().scheduler(), "locks", RETRY_NANOS);
        this.state = state;
        this.commit = commit;
        this.responsibility = responsibility;
        this.room = room;
    }

    /** Starts to serve the arc. Each lease of a lock counts as if the previous leader had renewed it now. */
    public void begin() {
        for (LockRecord lock : state.locks()) {
            LockQueue queue = queueOf(lock.cid());
            holdFrom(queue, lock, node.nanoTime());
        }
    }

    /**
     * Ends the service: refuses waiting requests, whose clients ask elsewhere. Timers that are still to come do
     * nothing.
     */
    public void stop() {
        stopped = true;
        new ArrayList<>(queues.values()).forEach(this::failAll);
    }

    public void acquire(RpcRequest request, AcquireLock acquire) {
        if (!isChunk(request, acquire.cid())) {
            return;
        }
        boolean isLease = acquire.leaseNanos() >= AcquireLock.MIN_LEASE_NANOS
                && acquire.leaseNanos() <= AcquireLock.MAX_LEASE_NANOS;
        if (!isLease || acquire.lockId() == 0 || acquire.waitNanos() < 0) {
            request.fail(
                    ErrorCode.BAD_REQUEST,
                    "a lock has an id that is not 0, a lease of 100 ms to 1 h, and a wait that is not negative");
            return;
        }
        if (!responsibility.answersFor(request, Cid.nid(acquire.cid()))) {
            return;
        }
        if (state.hasLockEnded(acquire.cid(), acquire.lockId())) {
            failEnded(request, acquire.cid());
            return;
        }
        LockQueue queue = queueOf(acquire.cid());
        LockRecord lock = state.lock(acquire.cid());
        if (lock != null && lock.lockId() == acquire.lockId() && !queue.committing) {
            SuperPeerProbe.LOCK_ASKED_FOR_AGAIN.hit();
            holdFrom(queue, lock, node.nanoTime());
            request.reply(new AcquireLockReply(lock.token(), 0));
            return;
        }
        if (lock != null && !queue.endIsWatched && !queue.committing) {
            // A command whose outcome was unknown has taken or kept the lock.
            holdFrom(queue, lock, node.nanoTime());
        }
        Waiter waiter = queue.waiter(acquire.lockId());
        if (waiter == null) {
            if (!node.memory().lockWaiters().tryTake(SuperPeerMemory.WAITER_BYTES)) {
                forgetIfIdle(queue);
                request.reply(new AcquireLockReply(0, remainingNanos(queue)));
                return;
            }
            waiter = new Waiter(acquire.lockId(), acquire.leaseNanos());
            queue.add(waiter);
            waited.add(queue);
        }
        await(queue, waiter, request, Math.min(acquire.waitNanos(), MAX_WAIT_NANOS));
    }

    /**
     * Forgets polls whose connections are closed. A client that comes again soon has its place, as between two polls.
     */
    public void giveBackGone() {
        for (LockQueue queue : List.copyOf(waited)) {
            for (Waiter waiter : queue.waiters()) {
                if (waiter.isCallerGone() && !queue.committing) {
                    endWait(queue, waiter);
                }
            }
        }
    }

    private void await(LockQueue queue, Waiter waiter, RpcRequest request, long waitNanos) {
        long untilNanos = node.nanoTime() + waitNanos;
        RpcRequest earlier = waiter.await(request, untilNanos);
        if (earlier != null) {
            refuse(earlier, queue);
        }
        passOn(queue);
        if (waiter.isOpen() && waitNanos == 0 && !queue.committing) {
            endWait(queue, waiter);
        } else if (waiter.isOpen()) {
            SuperPeerProbe.LOCK_WAITED_FOR.hit();
            after(waitNanos, () -> waitEnded(queue, waiter, untilNanos));
        }
    }

    /**
     * Ends a poll that has lasted long enough, unless another one has taken its place. While a command for the lock is
     * being committed, does nothing: the command may give the lock to this request, and if not, its end ends the polls
     * that have lasted long enough.
     */
    private void waitEnded(LockQueue queue, Waiter waiter, long untilNanos) {
        if (!queue.committing && waiter.isOpen() && waiter.untilNanos() == untilNanos) {
            endWait(queue, waiter);
        }
    }

    private void endWait(LockQueue queue, Waiter waiter) {
        long keepUntilNanos = node.nanoTime() + KEEP_PLACE_NANOS;
        RpcRequest request = waiter.take(keepUntilNanos);
        if (request != null) {
            refuse(request, queue);
        }
        after(KEEP_PLACE_NANOS, () -> {
            if (!waiter.isOpen() && waiter.untilNanos() == keepUntilNanos) {
                leave(queue, waiter);
            }
        });
    }

    private void leave(LockQueue queue, Waiter waiter) {
        if (queue.remove(waiter)) {
            node.memory().lockWaiters().give(SuperPeerMemory.WAITER_BYTES);
        }
        if (queue.size() == 0) {
            waited.remove(queue);
        }
        forgetIfIdle(queue);
    }

    private void refuse(RpcRequest request, LockQueue queue) {
        request.reply(new AcquireLockReply(0, remainingNanos(queue)));
    }

    /** Gives a lock that nobody holds to the first request that waits for it. */
    private void passOn(LockQueue queue) {
        Waiter first = queue.first();
        if (queue.committing || first == null || state.lock(queue.cid) != null) {
            forgetIfIdle(queue);
            return;
        }
        if (!room.getAsBoolean()) {
            // Answer as if the arc had as many locks as it can hold.
            queue.waiters().stream().filter(Waiter::isOpen).forEach(waiter -> endWait(queue, waiter));
            return;
        }
        var _ = change(queue, new LockCommand.Acquire(queue.cid, first.lockId, first.leaseNanos), result -> {
            switch (result) {
                case LockResult.Held held -> granted(queue, held.lock());
                case LockResult.Full full -> endWait(queue, first);
                case LockResult.Ended ended -> end(queue, first);
                default -> throw new IllegalStateException("unexpected " + result);
            }
        });
    }

    private void end(LockQueue queue, Waiter waiter) {
        RpcRequest request = waiter.take(0);
        leave(queue, waiter);
        if (request != null) {
            failEnded(request, queue.cid);
        }
    }

    /**
     * Refuses a lock request whose lock has ended. A late request must not take the lock for a client that has given it
     * back.
     */
    private static void failEnded(RpcRequest request, long cid) {
        request.fail(
                ErrorCode.UNKNOWN_LEASE,
                "the lock of chunk " + Cid.toHex(cid)
                        + " that this wish was granted has ended; another wish has another id");
    }

    private void granted(LockQueue queue, LockRecord lock) {
        holdFrom(queue, lock, node.nanoTime());
        Waiter holder = queue.waiter(lock.lockId());
        if (holder != null) {
            RpcRequest request = holder.take(0);
            leave(queue, holder);
            if (request != null) {
                request.reply(new AcquireLockReply(lock.token(), 0));
            }
        }
        long nowNanos = node.nanoTime();
        for (Waiter other : queue.waiters()) {
            if (other.isOpen() && other.untilNanos() - nowNanos <= 0) {
                endWait(queue, other);
            }
        }
    }

    /** Counts the lease of a holder from a moment on. */
    private void holdFrom(LockQueue queue, LockRecord lock, long fromNanos) {
        queue.endsAtNanos = fromNanos + new LeaseTerms(lock.leaseNanos()).waitNanos();
        if (!queue.endIsWatched) {
            watchEnd(queue);
        }
    }

    private void watchEnd(LockQueue queue) {
        queue.endIsWatched = true;
        after(queue.endsAtNanos - node.nanoTime(), () -> {
            queue.endIsWatched = false;
            LockRecord lock = state.lock(queue.cid);
            // If another queue has taken its place, that one has its own timer.
            if (lock == null || queue.committing || queues.get(queue.cid) != queue) {
                return;
            }
            if (queue.endsAtNanos - node.nanoTime() > 0) {
                watchEnd(queue);
            } else {
                SuperPeerProbe.LOCK_LEASE_ENDED.hit();
                var _ = change(queue, new LockCommand.Release(queue.cid, lock.token()), result -> {});
            }
        });
    }

    public void renew(RpcRequest request, RenewLock renew) {
        if (!isChunk(request, renew.cid()) || !responsibility.answersFor(request, Cid.nid(renew.cid()))) {
            return;
        }
        LockRecord lock = state.lock(renew.cid());
        LockQueue queue = queueOf(renew.cid());
        if (lock == null || lock.token() != renew.token() || queue.committing) {
            SuperPeerProbe.LOCK_RENEWED_TOO_LATE.hit();
            forgetIfIdle(queue);
            request.fail(
                    ErrorCode.UNKNOWN_LEASE,
                    "nobody holds the lock of chunk " + Cid.toHex(renew.cid()) + " with the token " + renew.token()
                            + " any more");
            return;
        }
        holdFrom(queue, lock, node.nanoTime());
        request.reply(new RenewLockReply(lock.leaseNanos()));
    }

    public void release(RpcRequest request, ReleaseLock release) {
        if (!isChunk(request, release.cid()) || !responsibility.answersFor(request, Cid.nid(release.cid()))) {
            return;
        }
        LockRecord lock = state.lock(release.cid());
        if (lock == null || lock.token() != release.token()) {
            request.reply(new Empty());
            return;
        }
        LockQueue queue = queueOf(release.cid());
        LockCommand command = new LockCommand.Release(release.cid(), release.token());
        if (queue.committing) {
            // If the lease is just ending, that does as well.
            Answers.whenCommitted(request, commit.apply(command), result -> request.reply(new Empty()));
        } else {
            Answers.whenCommitted(request, change(queue, command, result -> {}), result -> request.reply(new Empty()));
        }
    }

    public void show(RpcRequest request, ShowLock show) {
        if (!isChunk(request, show.cid()) || !responsibility.answersFor(request, Cid.nid(show.cid()))) {
            return;
        }
        LockRecord lock = state.lock(show.cid());
        LockQueue queue = queues.get(show.cid());
        request.reply(new ShowLockReply(
                lock == null ? 0 : lock.token(),
                lock == null || queue == null ? 0 : remainingNanos(queue),
                queue == null ? 0 : queue.size()));
    }

    private static boolean isChunk(RpcRequest request, long cid) {
        int nid = Cid.nid(cid);
        if (nid != Nid.NONE && Nid.role(nid) == NodeRole.STORAGE_PEER) {
            return true;
        }
        request.fail(ErrorCode.BAD_REQUEST, "no storage peer can ever have the CID " + Cid.toHex(cid));
        return false;
    }

    /** Commits a command for a lock. The next command for the lock follows when this one has been applied. */
    private CompletableFuture<ArcResult> change(LockQueue queue, LockCommand command, Consumer<ArcResult> then) {
        queue.committing = true;
        CompletableFuture<ArcResult> committed = commit.apply(command);
        Async.whenDone(committed, (result, failure) -> {
            queue.committing = false;
            if (result == null || result instanceof ArcResult.Refused) {
                failAll(queue);
                return;
            }
            then.accept(result);
            passOn(queue);
        });
        return committed;
    }

    private void failAll(LockQueue queue) {
        for (Waiter waiter : queue.waiters()) {
            RpcRequest request = waiter.take(0);
            leave(queue, waiter);
            if (request != null) {
                request.fail(ErrorCode.SHUTTING_DOWN, "this super-peer does not serve the lock any more");
            }
        }
    }

    private long remainingNanos(LockQueue queue) {
        return state.lock(queue.cid) == null ? 0 : Math.max(0, queue.endsAtNanos - node.nanoTime());
    }

    private LockQueue queueOf(long cid) {
        return queues.computeIfAbsent(cid, LockQueue::new);
    }

    private void forgetIfIdle(LockQueue queue) {
        if (queue.size() == 0 && !queue.committing && state.lock(queue.cid) == null) {
            queues.remove(queue.cid, queue);
        }
    }

    private void after(long delayNanos, Runnable task) {
        steps.after(Math.max(0, delayNanos), () -> {
            if (!stopped) {
                task.run();
            }
        });
    }
}
