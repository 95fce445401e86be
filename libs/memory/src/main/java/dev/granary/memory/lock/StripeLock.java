package dev.granary.memory.lock;

import dev.granary.memory.os.Padded;
import dev.granary.memory.os.PaddedSynchronizer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The lock of a stripe. Exclusive, not reentrant, not fair. Its state lies apart from what others read
 * ({@link Padded}), which that of the JDK's locks does not.
 */
public final class StripeLock extends PaddedSynchronizer {

    private static final long serialVersionUID = 1;
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(StripeLock.class, "held", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** 1 while a thread has it, otherwise 0. */
    private volatile long held;

    public void lock() {
        if (!tryLock()) {
            acquire(1);
        }
    }

    public boolean tryLock() {
        return held == 0 && HELD.compareAndSet(this, 0L, 1L);
    }

    public void unlock() {
        release(1);
    }

    @Override
    protected boolean tryAcquire(int ignored) {
        return tryLock();
    }

    @Override
    protected boolean tryRelease(int ignored) {
        held = 0;
        return true;
    }
}
