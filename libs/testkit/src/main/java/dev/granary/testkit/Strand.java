package dev.granary.testkit;

import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A task that can stand still in the middle while virtual time goes on. It has a thread of its own, which runs only
 * while the simulation waits for it. So a run stays the same event by event, and code that touches the same state
 * meanwhile sees what another thread would see.
 */
final class Strand {

    /** Ends the task of a process that is dead; no code catches it. */
    private static final class Ended extends Error {
        private static final long serialVersionUID = 1;

        Ended() {
            super("the process is dead", null, false, false);
        }
    }

    private static final ThreadLocal<@Nullable Strand> CURRENT = new ThreadLocal<>();

    private final Semaphore mayGoOn = new Semaphore(0);
    private final Semaphore standsStill = new Semaphore(0);
    private long waitNanos;
    private boolean done;
    private boolean cancelled;
    private @Nullable Throwable failure;

    /** A task that has not begun. */
    Strand(Runnable task) {
        Thread.ofVirtual().start(() -> run(task));
    }

    /** The strand whose task calls this; null when none does. */
    static @Nullable Strand current() {
        return CURRENT.get();
    }

    /**
     * Lets the task run until it waits or has ended; fails as the task does.
     *
     * @return whether it waits, for {@link #waitNanos}
     */
    boolean goOn() {
        mayGoOn.release();
        standsStill.acquireUninterruptibly();
        switch (failure) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case null, default -> {}
        }
        return !done;
    }

    /** How long the task waits. */
    long waitNanos() {
        return waitNanos;
    }

    /** Ends a task that waits: it does nothing more than what it must do on its way out. */
    void end() {
        cancelled = true;
        goOn();
    }

    /** Called by the task: it waits, and others go on. */
    void await(long nanos) {
        waitNanos = nanos;
        standsStill.release();
        mayGoOn.acquireUninterruptibly();
        if (cancelled) {
            throw new Ended();
        }
    }

    @SuppressWarnings("CatchingUnchecked") // whatever the task throws is thrown where the simulation goes on
    private void run(Runnable task) {
        mayGoOn.acquireUninterruptibly();
        CURRENT.set(this);
        try {
            task.run();
        } catch (Ended e) {
            // A strand is meant to end this way.
        } catch (RuntimeException | Error e) {
            failure = cancelled ? null : e;
        } finally {
            done = true;
            standsStill.release();
        }
    }
}
