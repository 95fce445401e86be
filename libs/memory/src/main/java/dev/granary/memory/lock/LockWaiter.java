package dev.granary.memory.lock;

import dev.granary.memory.LockMode;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One thread's wait for one lock. The thread that waits makes it; the thread that gives the lock back grants it. */
public final class LockWaiter {

    private final LockMode mode;
    private final Thread thread = Thread.currentThread();
    private volatile boolean granted;

    /** Links of {@link LockWaiters}. */
    @Nullable
    LockWaiter previous;

    @Nullable
    LockWaiter next;

    public LockWaiter(LockMode mode) {
        this.mode = mode;
    }

    public LockMode mode() {
        return mode;
    }

    public boolean isGranted() {
        return granted;
    }

    /** Gives the lock to the waiter and wakes its thread. */
    public void grant() {
        granted = true;
        LockSupport.unpark(thread);
    }

    /** Waits until granted, interrupted, or for no reason at all. */
    public void park() {
        LockSupport.park(this);
    }

    /** Parks the thread as {@link #park} does, for {@code nanos} at most. */
    public void parkFor(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }
}
