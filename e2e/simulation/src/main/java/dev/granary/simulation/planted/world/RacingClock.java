package dev.granary.simulation.planted.world;

import dev.granary.env.Clock;

/**
 * A clock that runs half as fast again as time: whoever counts with it gives away too early what he has granted. Raft
 * bears it.
 */
public record RacingClock(Clock clock, long originNanos) implements Clock {

    public RacingClock(Clock clock) {
        this(clock, clock.nanoTime());
    }

    @Override
    public long nanoTime() {
        return originNanos + (clock.nanoTime() - originNanos) * 3 / 2;
    }

    @Override
    public long wallMillis() {
        return clock.wallMillis();
    }
}
