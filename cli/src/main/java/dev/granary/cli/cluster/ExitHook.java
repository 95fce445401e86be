package dev.granary.cli.cluster;

import dev.granary.cli.base.UserException;

/** Runs work when this process ends (Ctrl-C, SIGTERM) before the hook is closed. Other hooks run at the same time. */
public final class ExitHook implements AutoCloseable {

    private final Thread thread;

    private ExitHook(Thread thread) {
        this.thread = thread;
    }

    /**
     * Registers work for the end of this process.
     *
     * @param name the name of the thread that runs the work
     * @throws UserException when this process is ending already
     */
    public static ExitHook begin(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        try {
            Runtime.getRuntime().addShutdownHook(thread);
        } catch (IllegalStateException e) {
            throw new UserException("interrupted", e);
        }
        return new ExitHook(thread);
    }

    /** Cancels the work, unless this process is ending already. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            // This process is ending: the work is running.
        }
    }
}
