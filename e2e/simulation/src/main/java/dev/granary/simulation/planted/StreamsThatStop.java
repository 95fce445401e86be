package dev.granary.simulation.planted;

import dev.granary.env.Clock;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;

/**
 * A scheduler by which what a storage peer sends a backup does not go on after a request that failed, as if the request
 * had kept its place among those that are on their way.
 */
final class StreamsThatStop implements Scheduler {

    /** Until then copies are made, and clusters begin. */
    private static final long AFTER_NANOS = 3_000_000_000L;

    private static final String STREAM = ".ReplicationStream";

    private final Scheduler scheduler;
    private final Clock clock;
    private final long beganNanos;

    StreamsThatStop(Scheduler scheduler, Clock clock) {
        this.scheduler = scheduler;
        this.clock = clock;
        this.beganNanos = clock.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
        scheduler.execute(task);
    }

    @Override
    public Timer schedule(long delayNanos, Runnable task) {
        boolean lost = delayNanos > 0 && clock.nanoTime() - beganNanos > AFTER_NANOS && isOfAStream();
        return scheduler.schedule(delayNanos, lost ? () -> {} : task);
    }

    private static boolean isOfAStream() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().endsWith(STREAM)));
    }

    @Override
    public Loops loops() {
        return scheduler.loops();
    }
}
