package dev.granary.superpeer.lock;

import dev.granary.net.rpc.RpcRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for one lock, first come first, and when its lease ends. One that polls keeps its place between two polls.
 * Used by tasks of one scheduler.
 */
final class LockQueue {

    /** One wish to hold the lock. */
    static final class Waiter {
        final long lockId;
        final long leaseNanos;

        /** What is to be answered; null between two polls. */
        private @Nullable RpcRequest request;

        /** When the request is answered at the latest, or when the place is lost without another poll. */
        private long untilNanos;

        Waiter(long lockId, long leaseNanos) {
            this.lockId = lockId;
            this.leaseNanos = leaseNanos;
        }

        /** Waits with a request; returns the one that it waited with before. */
        @Nullable
        RpcRequest await(RpcRequest next, long until) {
            RpcRequest previous = request;
            request = next;
            untilNanos = until;
            return previous;
        }

        /** The request is answered; the place is kept until then. */
        @Nullable
        RpcRequest take(long keepUntil) {
            RpcRequest taken = request;
            request = null;
            untilNanos = keepUntil;
            return taken;
        }

        /** Whether nobody would take the answer any more. */
        boolean isCallerGone() {
            return request != null && !request.isCallerThere();
        }

        boolean isOpen() {
            return request != null;
        }

        long untilNanos() {
            return untilNanos;
        }
    }

    final long cid;

    /** When the holder's lease ends, if there is a holder. */
    long endsAtNanos;

    /** A command for this lock is on its way. */
    boolean committing;

    /** A task will look at the end of the lease. */
    boolean endIsWatched;

    private final LinkedHashMap<Long, Waiter> waiters = new LinkedHashMap<>();

    LockQueue(long cid) {
        this.cid = cid;
    }

    @Nullable
    Waiter waiter(long lockId) {
        return waiters.get(lockId);
    }

    void add(Waiter waiter) {
        waiters.put(waiter.lockId, waiter);
    }

    boolean remove(Waiter waiter) {
        return waiters.remove(waiter.lockId, waiter);
    }

    /** The first who waits with a request. */
    @Nullable
    Waiter first() {
        for (Waiter waiter : waiters.values()) {
            if (waiter.isOpen()) {
                return waiter;
            }
        }
        return null;
    }

    List<Waiter> waiters() {
        return new ArrayList<>(waiters.values());
    }

    int size() {
        return waiters.size();
    }
}
