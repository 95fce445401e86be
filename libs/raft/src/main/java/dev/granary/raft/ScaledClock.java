package dev.granary.raft;

import dev.granary.env.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The monotonic clock as the library's clock, on which a heartbeat takes a second. */
final class ScaledClock extends java.time.Clock {

    private static final long LIBRARY_SECOND_MILLIS = 1_000;

    /** The library takes 0 for "never". */
    private static final long FIRST_MILLIS = 3_600_000;

    private final Clock clock;
    private final long heartbeatNanos;
    private final long startNanos;

    ScaledClock(Clock clock, long heartbeatNanos) {
        this.clock = clock;
        this.heartbeatNanos = heartbeatNanos;
        this.startNanos = clock.nanoTime();
    }

    @Override
    public long millis() {
        long passedNanos = clock.nanoTime() - startNanos;
        long heartbeats = passedNanos / heartbeatNanos;
        return FIRST_MILLIS
                + heartbeats * LIBRARY_SECOND_MILLIS
                + passedNanos % heartbeatNanos * LIBRARY_SECOND_MILLIS / heartbeatNanos;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    /** The library shows no time to anybody; all zones are one. */
    @Override
    public java.time.Clock withZone(ZoneId zone) {
        return this;
    }
}
