package dev.granary.env;

import java.util.concurrent.Executor;

/**
 * Runs the control work of one node, one task after the other and never two at once: state that is touched only by
 * tasks of one scheduler needs no lock. Tasks must not block. {@link #execute} and {@link #schedule} may be called by
 * any thread.
 */
public interface Scheduler extends Executor {

    /** Runs the task soon, after those that were handed in before it. */
    @Override
    void execute(Runnable task);

    /**
     * Runs the task once, not before the delay has passed on the node's monotonic clock.
     *
     * @param delayNanos nanoseconds from now; zero or less means soon
     */
    Timer schedule(long delayNanos, Runnable task);

    /** Watches what is done again and again on this scheduler. Any thread. */
    Loops loops();

    /** A task that waits for its time. */
    interface Timer {
        /** Prevents the task from running if it has not started. Calling it again, or too late, does nothing. */
        void cancel();
    }
}
