package dev.granary.simulation.planted;

import dev.granary.env.Clock;
import dev.granary.env.Environment;
import dev.granary.env.Loops;
import dev.granary.env.Scheduler;

/** A world whose time passes much faster than that of all other processes. */
public final class HastyWorld {

    private static final long FACTOR = 4;

    private HastyWorld() {}

    /** Returns a world whose clock runs four times as fast as it should, from now on. */
    public static Environment of(Environment world) {
        return new Environment(
                new HastyClock(world.clock(), world.clock().nanoTime()),
                new HastyScheduler(world.scheduler()),
                world.random(),
                world.disk());
    }

    private record HastyClock(Clock clock, long originNanos) implements Clock {

        @Override
        public long nanoTime() {
            return originNanos + FACTOR * (clock.nanoTime() - originNanos);
        }

        @Override
        public long wallMillis() {
            return clock.wallMillis();
        }
    }

    private record HastyScheduler(Scheduler scheduler) implements Scheduler {

        @Override
        public void execute(Runnable task) {
            scheduler.execute(task);
        }

        @Override
        public Loops loops() {
            return scheduler.loops();
        }

        @Override
        public Timer schedule(long delayNanos, Runnable task) {
            return scheduler.schedule(delayNanos / FACTOR, task);
        }
    }
}
