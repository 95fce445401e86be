package dev.granary.cli.cluster;

import dev.granary.cli.base.UserException;

/** What is to be done when this process ends (Ctrl-C, SIGTERM) before this is closed; beside others of the kind. */
public final class ExitHook implements AutoCloseable {

    private final Thread thread;

    private ExitHook(Thread thread) {
        this.thread = thread;
    }

    /**
     * From here on the work is done at the end of this process.
     *
     * @param name of the thread that does it
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

    /** The work is not done any more, unless this process is ending already. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            // This process is ending: the work is being done.
        }
    }
}
