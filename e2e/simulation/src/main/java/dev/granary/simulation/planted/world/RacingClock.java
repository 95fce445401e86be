package dev.granary.simulation.planted.world;

import dev.granary.env.Clock;

/**
 * A clock that runs at one and a half times the speed of time: a grantor with this clock counts leases as ended too
 * early. Raft tolerates it.
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
