package dev.granary.memory.paged;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.granary.memory.LockFigures;
import dev.granary.memory.LockInterruptedException;
import dev.granary.memory.LockMode;
import dev.granary.memory.LockTimeoutException;
import dev.granary.memory.NotLockedException;
import dev.granary.memory.lock.LockWaiter;
import dev.granary.memory.lock.LockWaiters;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The locks that callers hold on chunks: many readers or one writer each. Only locked chunks have an entry. The table
 * lies on the heap in {@value #STRIPES} stripes, each with a lock of its own that is held for some tens of
 * nanoseconds and never while waiting, so that two chunks of one caller may share a stripe.
 *
 * <p>A lock belongs to its caller and not to a thread: another thread may give it back, and a caller that locks for
 * writing twice waits for itself. Waiters are served in the order in which they came, adjacent readers together: a
 * writer that waits keeps new readers out, and nobody starves. The thread that gives the last lock back hands it over
 * to the waiters under the stripe's lock, so no wake-up is lost and no other thread takes it in between.
 *
 * <p>Invariants, whenever no stripe's lock is held:
 *
 * <ol>
 *   <li>A CID is in the table if and only if somebody holds its lock.
 *   <li>It has either one writer or at least one reader.
 *   <li>The first waiter, if there is one, cannot be granted its lock beside those who hold theirs.
 *   <li>{@link #heldCount} is the number of CIDs in the table.
 * </ol>
 *
 * <p>Thread-safe, for virtual threads too: waiting parks, it pins nothing.
 */
public final class HeldLocks {

    private static final int STRIPES = 64;

    private final Stripe[] stripes = new Stripe[STRIPES];
    private final AtomicInteger held = new AtomicInteger();
    private final LongSupplier clockNanos;

    /**
     * Makes a table without locks.
     *
     * @param clockNanos a clock that never goes back, in nanoseconds from any start
     */
    HeldLocks(LongSupplier clockNanos) {
        this.clockNanos = clockNanos;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    /**
     * Locks a chunk. It need not exist.
     *
     * @param timeoutNanos how long to wait: 0 to try once, {@link Long#MAX_VALUE} for as long as it takes
     * @throws LockTimeoutException if others held the lock for all of {@code timeoutNanos}
     * @throws LockInterruptedException if the thread was interrupted while it waited; its flag is set
     * @throws IllegalArgumentException if the timeout is negative
     */
    void lock(long cid, LockMode mode, long timeoutNanos) {
        if (timeoutNanos < 0) {
            throw new IllegalArgumentException("timeoutNanos is " + timeoutNanos + ", allowed are 0 and more");
        }
        if (tryLock(cid, mode)) {
            return;
        }
        if (timeoutNanos == 0) {
            throw new LockTimeoutException(cid, mode, 0);
        }
        long startNanos = clockNanos.getAsLong();
        Stripe stripe = stripe(cid);
        LockWaiter waiter = new LockWaiter(mode);
        stripe.lock.lock();
        try {
            if (grantAtOnce(stripe, cid, mode)) {
                return;
            }
            stripe.held(cid).waiters.add(waiter);
        } finally {
            stripe.lock.unlock();
        }
        await(stripe, cid, waiter, startNanos, timeoutNanos);
    }

    /** Locks a chunk if that takes no waiting. Returns whether it did. */
    boolean tryLock(long cid, LockMode mode) {
        Stripe stripe = stripe(cid);
        stripe.lock.lock();
        try {
            return grantAtOnce(stripe, cid, mode);
        } finally {
            stripe.lock.unlock();
        }
    }

    /**
     * Gives a lock back.
     *
     * @throws NotLockedException if nobody holds one of this mode on this chunk
     */
    void unlock(long cid, LockMode mode) {
        Stripe stripe = stripe(cid);
        stripe.lock.lock();
        try {
            Held lock = stripe.table.get(cid);
            if (lock == null || (mode == LockMode.WRITE) != lock.writer) {
                throw new NotLockedException(cid, mode);
            }
            lock.leave();
            lock.grantWaiters();
            if (lock.isFree()) {
                stripe.table.remove(cid);
                held.decrementAndGet();
            }
        } finally {
            stripe.lock.unlock();
        }
    }

    /** Returns whether a caller holds a lock on a chunk, in either mode. */
    boolean isLocked(long cid) {
        if (held.get() == 0) {
            return false;
        }
        Stripe stripe = stripe(cid);
        stripe.lock.lock();
        try {
            return stripe.table.containsKey(cid);
        } finally {
            stripe.lock.unlock();
        }
    }

    /** Returns how many chunks are locked, with one volatile read. */
    int heldCount() {
        return held.get();
    }

    /** Returns how many callers hold and wait for locks, counted stripe after stripe. */
    LockFigures snapshot() {
        int readLocked = 0;
        int writeLocked = 0;
        int readers = 0;
        int waiting = 0;
        for (Stripe stripe : stripes) {
            stripe.lock.lock();
            try {
                for (Held lock : stripe.table.values()) {
                    readLocked += lock.writer ? 0 : 1;
                    writeLocked += lock.writer ? 1 : 0;
                    readers += lock.readers;
                    waiting += lock.waiters.size();
                }
            } finally {
                stripe.lock.unlock();
            }
        }
        return new LockFigures(readLocked, writeLocked, readers, waiting);
    }

    private Stripe stripe(long cid) {
        return stripes[(int) ((cid * 0x9e3779b97f4a7c15L) >>> 58)];
    }

    @GuardedBy("stripe.lock")
    private boolean grantAtOnce(Stripe stripe, long cid, LockMode mode) {
        Held lock = stripe.table.get(cid);
        if (lock == null) {
            lock = new Held();
            stripe.table.put(cid, lock);
            held.incrementAndGet();
        } else if (!lock.waiters.isEmpty() || !lock.admits(mode)) {
            return false;
        }
        lock.enter(mode);
        return true;
    }

    private void await(Stripe stripe, long cid, LockWaiter waiter, long startNanos, long timeoutNanos) {
        long waitedNanos = 0;
        while (!waiter.isGranted()) {
            if (Thread.currentThread().isInterrupted()) {
                if (withdraw(stripe, cid, waiter)) {
                    throw new LockInterruptedException(cid, waiter.mode());
                }
                return;
            }
            if (timeoutNanos == Long.MAX_VALUE) {
                waiter.park();
                continue;
            }
            if (waitedNanos >= timeoutNanos) {
                if (withdraw(stripe, cid, waiter)) {
                    throw new LockTimeoutException(cid, waiter.mode(), waitedNanos);
                }
                return;
            }
            waiter.parkFor(timeoutNanos - waitedNanos);
            waitedNanos = clockNanos.getAsLong() - startNanos;
        }
    }

    /** Ends a wait. Returns false if the lock was already granted; then the waiter holds it. */
    private boolean withdraw(Stripe stripe, long cid, LockWaiter waiter) {
        stripe.lock.lock();
        try {
            if (waiter.isGranted()) {
                return false;
            }
            // A waiter that was not granted its lock waits for a holder, so there is one, and a table entry.
            Held lock = stripe.held(cid);
            lock.waiters.remove(waiter);
            // It may have kept others out, as a writer does with readers behind it.
            lock.grantWaiters();
            return true;
        } finally {
            stripe.lock.unlock();
        }
    }

    /** A part of the table, and the lock that guards it. */
    private static final class Stripe {

        private final ReentrantLock lock = new ReentrantLock();

        @GuardedBy("lock")
        private final Map<Long, Held> table = new HashMap<>();

        @GuardedBy("lock")
        Held held(long cid) {
            Held found = table.get(cid);
            if (found == null) {
                throw new IllegalStateException("chunk 0x%016x has waiters but no lock".formatted(cid));
            }
            return found;
        }
    }

    /**
     * The lock of one chunk. The lock of its stripe guards all of it. This class does not know its stripe, so no
     * annotation can name that lock; the code that takes an entry out of the table knows it.
     */
    private static final class Held {

        private final LockWaiters waiters = new LockWaiters();
        private int readers;
        private boolean writer;

        boolean isFree() {
            return readers == 0 && !writer;
        }

        boolean admits(LockMode mode) {
            return !writer && (mode == LockMode.READ || readers == 0);
        }

        void enter(LockMode mode) {
            if (mode == LockMode.READ) {
                readers = Math.incrementExact(readers);
            } else {
                writer = true;
            }
        }

        void leave() {
            if (writer) {
                writer = false;
            } else {
                readers--;
            }
        }

        void grantWaiters() {
            @Nullable LockWaiter first = waiters.first();
            while (first != null && admits(first.mode())) {
                enter(first.mode());
                waiters.remove(first);
                first.grant();
                first = waiters.first();
            }
        }
    }
}
