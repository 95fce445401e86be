package dev.granary.superpeer.lock;

import dev.granary.net.rpc.RpcRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lock requests that wait for one client lock, first come first, and the end of the holder's lease. A request that
 * polls keeps its place between two polls. Used by tasks of one scheduler.
 */
final class LockQueue {

    /** One lock request. */
    static final class Waiter {
        final long lockId;
        final long leaseNanos;

        /** The poll to answer; null between two polls. */
        private @Nullable RpcRequest request;

        /** The latest moment to answer the poll, or the moment at which the place is lost without another poll. */
        private long untilNanos;

        Waiter(long lockId, long leaseNanos) {
            this.lockId = lockId;
            this.leaseNanos = leaseNanos;
        }

        /** Waits with a poll. Returns the poll with which it waited before, null for none. */
        @Nullable
        RpcRequest await(RpcRequest next, long until) {
            RpcRequest previous = request;
            request = next;
            untilNanos = until;
            return previous;
        }

        /** Returns the poll, which is answered now. The place is kept until {@code keepUntil}. */
        @Nullable
        RpcRequest take(long keepUntil) {
            RpcRequest taken = request;
            request = null;
            untilNanos = keepUntil;
            return taken;
        }

        /** Whether the connection of the poll is closed. */
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

    /** Whether a command for this lock is being committed. */
    boolean committing;

    /** Whether a task will look at the end of the lease. */
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

    /** Returns the first lock request that waits with a poll; null when there is none. */
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
