package dev.granary.simulation.planted;

import dev.granary.env.Clock;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;

/**
 * A scheduler through which a storage peer sends a backup nothing more after a failed request, as if the request still
 * held its place among those in flight.
 */
final class StreamsThatStop implements Scheduler {

    /** Before that, copies are made and clusters begin. */
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
