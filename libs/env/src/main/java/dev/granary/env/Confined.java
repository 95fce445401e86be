package dev.granary.env;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The thread that some state belongs to: the first thread that uses the state. Code that uses the state asserts that it
 * runs on that thread, so that tests, which run with assertions, find another thread:
 *
 * <pre>
 *   assert confined.here() : confined;
 * </pre>
 *
 * <p>Without assertions nothing is checked. In a simulation one thread carries out the work of all processes, and a
 * task that waits for a slow disk has a virtual thread of its own: there the simulator says which thread of which
 * process does the work ({@link #playing}), and that one counts instead (ADR 0189). Thread-safe.
 */
public final class Confined {

    private static final ThreadLocal<@Nullable Object> PLAYED = new ThreadLocal<>();

    private static final VarHandle OWNER;

    static {
        try {
            OWNER = MethodHandles.lookup().findVarHandle(Confined.class, "owner", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile @Nullable Object owner;

    /** State that no thread has used yet. */
    public Confined() {}

    /** Returns whether the state belongs to the calling thread. State without a thread belongs to it from now on. */
    public boolean here() {
        Object caller = caller();
        Object known = owner;
        if (known == null) {
            known = OWNER.compareAndExchange(this, null, caller);
        }
        return known == null || known == caller;
    }

    /**
     * Gives the state to the next thread that uses it, because another one made it or closes it. The caller makes sure
     * that one thread's use comes after the other's.
     *
     * @return true, so that it can be part of an assert
     */
    public boolean handOver() {
        owner = null;
        return true;
    }

    /**
     * Does some work as a thread of a simulated process.
     *
     * @param thread stands for that thread, the same object each time
     */
    public static void playing(Object thread, Runnable work) {
        Object before = PLAYED.get();
        if (before == thread) {
            work.run();
            return;
        }
        PLAYED.set(thread);
        try {
            work.run();
        } finally {
            PLAYED.set(before);
        }
    }

    private static Object caller() {
        Object played = PLAYED.get();
        return played == null ? Thread.currentThread() : played;
    }

    /** The message of the assert: who has used what. */
    @Override
    public String toString() {
        String user = StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !frame.getClassName().equals(Confined.class.getName()))
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .filter(frame -> !frame.startsWith("java."))
                        .findFirst()
                        .orElse("something"));
        return user + " belongs to " + owner + " and is used by " + caller();
    }
}
