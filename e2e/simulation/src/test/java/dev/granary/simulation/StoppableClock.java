package dev.granary.simulation;

import dev.granary.env.Clock;

/** A clock that can be stopped: a process that has it believes that its lease never ends. */
final class StoppableClock implements Clock {

    private final Clock clock;
    private boolean stopped;
    private long stoppedNanos;

    StoppableClock(Clock clock) {
        this.clock = clock;
    }

    void stop() {
        stoppedNanos = clock.nanoTime();
        stopped = true;
    }

    @Override
    public long nanoTime() {
        return stopped ? stoppedNanos : clock.nanoTime();
    }

    @Override
    public long wallMillis() {
        return clock.wallMillis();
    }
}
