package dev.granary.cli.command;

import dev.granary.cli.base.UserException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command clean up when its process gets SIGINT (Ctrl-C) or SIGTERM. The process ends when the command closes
 * this object, and after {@value #PATIENCE_SECONDS} seconds at the latest. Thread-safe.
 */
final class Interruption implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final CountDownLatch cleanedUp = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupted, "granary-interruption");
    private final String consequence;
    private volatile boolean interrupted;

    /** @param consequence what happens when the process is told to end, for people */
    Interruption(String consequence) {
        this.consequence = consequence;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void interrupted() {
        interrupted = true;
        System.err.println("granary: interrupted, " + consequence);
        try {
            boolean done = cleanedUp.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!done) {
                System.err.println("granary: the cleanup takes too long and is given up");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Checks for an interruption. The work calls this regularly.
     *
     * @throws UserException when the process was told to end
     */
    void check() {
        if (interrupted) {
            throw new UserException("interrupted");
        }
    }

    /** The work has ended and everything is cleaned up. */
    @Override
    public void close() {
        cleanedUp.countDown();
        if (!interrupted) {
            removeHook();
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException endingAlready) {
            // The hook runs or is about to run; it finds nothing to wait for.
            interrupted = true;
        }
    }
}
