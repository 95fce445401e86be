package dev.granary.simulation.planted;

import dev.granary.env.Clock;
import dev.granary.env.Loop;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;

/** A scheduler whose loops end silently after a while, as if a round had thrown. */
final class LoopsThatEnd implements Scheduler {

    private static final long AFTER_NANOS = 6_000_000_000L;

    private final Scheduler scheduler;
    private final Clock clock;
    private final long beganNanos;

    LoopsThatEnd(Scheduler scheduler, Clock clock) {
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
        boolean round = task.getClass().getName().startsWith(Loop.class.getName());
        boolean late = clock.nanoTime() - beganNanos > AFTER_NANOS;
        return scheduler.schedule(delayNanos, round && late ? () -> {} : task);
    }

    @Override
    public Loops loops() {
        return scheduler.loops();
    }
}
