package dev.granary.raft;

import dev.granary.env.Clock;
import dev.granary.env.Confined;
import io.microraft.executor.RaftNodeClock;

/**
 * The monotonic clock as the library's clock, on which a heartbeat takes a second. Time in which this process stood
 * still does not count: between two looks, which come once a heartbeat, at most {@value #COUNTED_HEARTBEATS}
 * heartbeats pass. So a member that has slept does not blame its leader for the silence, nor a leader its followers.
 * Safety does not depend on this clock (ADR 0145). For the scheduler's tasks only.
 */
final class ScaledClock implements RaftNodeClock {

    /** One heartbeat of ours takes a second of the library, which counts heartbeats in seconds. */
    static final int LIBRARY_HEARTBEAT_MILLIS = 1_000;

    /** The library takes 0 for "never". */
    private static final long FIRST_MILLIS = 3_600_000;

    private static final int COUNTED_HEARTBEATS = 2;

    private final Confined confined = new Confined();
    private final Clock clock;
    private final long heartbeatNanos;
    private long lookNanos;
    private long countedNanos;

    ScaledClock(Clock clock, long heartbeatNanos) {
        this.clock = clock;
        this.heartbeatNanos = heartbeatNanos;
        this.lookNanos = clock.nanoTime();
    }

    /** Tells the clock that the process runs; called once a heartbeat. */
    void look() {
        assert confined.here() : confined;
        countedNanos = passedNanos();
        lookNanos = clock.nanoTime();
    }

    private long passedNanos() {
        assert confined.here() : confined;
        return countedNanos + Math.min(clock.nanoTime() - lookNanos, COUNTED_HEARTBEATS * heartbeatNanos);
    }

    @Override
    public long millis() {
        long passedNanos = passedNanos();
        long heartbeats = passedNanos / heartbeatNanos;
        return FIRST_MILLIS
                + heartbeats * LIBRARY_HEARTBEAT_MILLIS
                + passedNanos % heartbeatNanos * LIBRARY_HEARTBEAT_MILLIS / heartbeatNanos;
    }
}
