package dev.granary.simulation;

import dev.granary.env.Clock;

/** A clock that hardly moves on. */
record CrawlingClock(Clock clock, long originNanos) implements Clock {

    CrawlingClock(Clock clock) {
        this(clock, clock.nanoTime());
    }

    @Override
    public long nanoTime() {
        long nanoTime = clock.nanoTime() - originNanos;
        return originNanos + nanoTime / 1_000;
    }

    @Override
    public long wallMillis() {
        return clock.wallMillis();
    }
}
