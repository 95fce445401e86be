package dev.granary.memory.lock;

import dev.granary.memory.os.Vmb;
import dev.granary.memory.paged.HeldLocks;
import java.lang.invoke.VarHandle;

/**
 * The latch of a page: what operations hold while they change something in it, for some tens of nanoseconds. Not to be
 * confused with the locks that callers hold on chunks ({@link HeldLocks}).
 *
 * <pre>
 *   63 ..................... 16  15 ............... 1  0
 *  +----------------------------+---------------------+-----------+
 *  | version                    | shared holders      | exclusive |
 *  +----------------------------+---------------------+-----------+
 * </pre>
 *
 * Exclusive means that somebody changes the page, or, while there are shared holders, waits for them to leave; no new
 * ones come in then.
 *
 * <p>A reader writes nothing: it reads the latch, then the page and the chunk, then the latch again. If nobody was
 * changing the page at either time and the version is the same, nothing that it read was being changed (ADR 0012, now
 * with one word a page). Each exclusive holder that changed something counts the version up. Shared holders keep
 * exclusive ones away while foreign code reads or fills a chunk in place; they do not disturb readers.
 *
 * <p>Not reentrant. A thread that holds a latch may wait for a stripe's lock. A thread that holds a stripe's lock only
 * tries to get a latch.
 */
public final class Latch {

    /** Instead of a word to validate against: the caller holds the latch, nothing can change. */
    public static final long HELD = -1;

    private static final long EXCLUSIVE = 1;
    private static final long SHARED = 2;
    private static final long SHARED_MASK = 0xfffe;
    private static final long VERSION = 0x10000;
    private static final int SPINS = 100;

    private Latch() {}

    /** Waits until nobody changes the page. Returns the word to validate against. */
    public static long read(Vmb vmb, long latch) {
        for (int tries = 0; ; tries++) {
            long word = vmb.getAcquire(latch);
            if (isReadable(word)) {
                return word;
            }
            pause(tries);
        }
    }

    /** Whether nobody changes the page, by a word of its latch. */
    public static boolean isReadable(long word) {
        return (word & (EXCLUSIVE | SHARED_MASK)) != EXCLUSIVE;
    }

    /**
     * Whether nothing was changed since a word was read: never if somebody was changing the page at that time. A fence
     * must lie between the last read and this.
     */
    public static boolean isUnchanged(Vmb vmb, long latch, long since) {
        if (!isReadable(since)) {
            return false;
        }
        long now = vmb.getAcquire(latch);
        return now == since || since == HELD || (((now ^ since) & -VERSION) == 0 && isReadable(now));
    }

    public static void lockExclusive(Vmb vmb, long latch) {
        for (int tries = 0; ; tries++) {
            long word = vmb.getAcquire(latch);
            if ((word & EXCLUSIVE) == 0 && vmb.compareAndSet(latch, word, word | EXCLUSIVE)) {
                awaitShared(vmb, latch);
                beginChanges();
                return;
            }
            pause(tries);
        }
    }

    /** Takes it if nobody else holds it, and does not wait. */
    public static boolean tryExclusive(Vmb vmb, long latch) {
        long word = vmb.getAcquire(latch);
        if ((word & (EXCLUSIVE | SHARED_MASK)) != 0 || !vmb.compareAndSet(latch, word, word | EXCLUSIVE)) {
            return false;
        }
        beginChanges();
        return true;
    }

    /** Ends an exclusive hold in which something may have been changed. */
    public static void unlockExclusive(Vmb vmb, long latch) {
        vmb.setRelease(latch, (vmb.getAcquire(latch) & -VERSION) + VERSION);
    }

    /** Turns an exclusive hold in which something may have been changed into a shared one. */
    public static void downgrade(Vmb vmb, long latch) {
        vmb.setRelease(latch, (vmb.getAcquire(latch) & -VERSION) + VERSION + SHARED);
    }

    public static void lockShared(Vmb vmb, long latch) {
        for (int tries = 0; !tryShared(vmb, latch); tries++) {
            pause(tries);
        }
    }

    /** Becomes one of the shared holders unless somebody holds it exclusively or wants to. */
    public static boolean tryShared(Vmb vmb, long latch) {
        long word = vmb.getAcquire(latch);
        return (word & EXCLUSIVE) == 0
                && (word & SHARED_MASK) != SHARED_MASK
                && vmb.compareAndSet(latch, word, word + SHARED);
    }

    public static void unlockShared(Vmb vmb, long latch) {
        vmb.add(latch, -SHARED);
    }

    /** Makes it one that nobody holds, after it was loaded: who held it shared did so in another memory. */
    public static void reset(Vmb vmb, long latch) {
        vmb.setRelease(latch, vmb.getAcquire(latch) & -VERSION);
    }

    /** Whether anybody holds it, by a word of it: for the verifier. */
    public static boolean isHeld(long word) {
        return (word & (EXCLUSIVE | SHARED_MASK)) != 0;
    }

    /**
     * Keeps what is changed from now on behind the exclusive bit:
     * on processors with weakly ordered stores a reader could see a change before the bit.
     */
    private static void beginChanges() {
        VarHandle.storeStoreFence();
    }

    private static void awaitShared(Vmb vmb, long latch) {
        for (int tries = 0; (vmb.getAcquire(latch) & SHARED_MASK) != 0; tries++) {
            pause(tries);
        }
    }

    /** Holders need some tens of nanoseconds, unless they were preempted: then the processor is theirs. */
    @SuppressWarnings("ThreadPriorityCheck")
    private static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
