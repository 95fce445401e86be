package dev.granary.simulation.planted.world;

import dev.granary.env.Clock;

/**
 * A clock that runs half as fast again as time: a grantor that counts by it counts leases as ended too early. Raft
 * tolerates it.
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
