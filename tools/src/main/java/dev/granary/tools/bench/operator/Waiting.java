package dev.granary.tools.bench.operator;

import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Waits for other processes. */
final class Waiting {
    private static final long LOOK_MILLIS = 200;

    private Waiting() {}

    /** A condition that becomes true. */
    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    /**
     * Waits until the condition holds.
     *
     * @throws UserException when it does not hold in time
     */
    static void until(String what, int seconds, Condition condition) throws IOException, InterruptedException {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.holds()) {
            if (System.nanoTime() > endNanos) {
                throw new UserException("not true within " + seconds + " s: " + what);
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }
}
