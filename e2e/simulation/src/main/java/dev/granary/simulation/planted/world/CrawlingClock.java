package dev.granary.simulation.planted.world;

import dev.granary.env.Clock;

/**
 * A clock that hardly advances: a thousandth of the time that passes.
 *
 * @param clock the right one
 * @param originNanos when it was right
 */
public record CrawlingClock(Clock clock, long originNanos) implements Clock {

    /** Makes a clock that is right now, and never again. */
    public CrawlingClock(Clock clock) {
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
