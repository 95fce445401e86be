package dev.granary.tools.bench.hostile;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** Does something at a steady rate, until it is closed. What fails is tried again. */
final class Stream implements Attack {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final int perSecond;
    private final Step step;
    private final Thread thread = new Thread(this::run, "stream");
    private volatile boolean ends;

    /** One thing that is done. */
    interface Step extends AutoCloseable {

        /** Does it for the nth time. */
        void once(long number) throws IOException;

        @Override
        default void close() {}
    }

    Stream(int perSecond, Step step) {
        this.perSecond = perSecond;
        this.step = step;
    }

    @Override
    public void begin() {
        thread.start();
    }

    private void run() {
        long begin = System.nanoTime();
        for (long number = 0; !ends; number++) {
            long wait = begin + number * NANOS_PER_SECOND / perSecond - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(wait);
            }
            try {
                step.once(number);
            } catch (IOException | RuntimeException e) {
                // A hostile client goes on.
            }
        }
    }

    @Override
    public void close() {
        ends = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        step.close();
    }
}
