package dev.granary.storage.lease;

import dev.granary.env.Clock;

/**
 * Tells I/O threads whether this peer may serve. A lease ends at a moment of the monotonic clock, counted from when its
 * renewal was <em>sent</em> (SAFETY rule "leases"). Thread-safe.
 */
public final class Lease {

    private final Clock clock;

    /** Whether there is a lease. Without this flag {@link #isValid} would depend on the origin of the clock. */
    private volatile boolean granted;

    private volatile long endNanos;

    public Lease(Clock clock) {
        this.clock = clock;
    }

    /** Returns whether the lease holds at this moment. */
    public boolean isValid() {
        return granted && clock.nanoTime() - endNanos < 0;
    }

    /** Returns how many nanoseconds of the lease are left; 0 when there is no lease. */
    public long remainingNanos() {
        return granted ? Math.max(0, endNanos - clock.nanoTime()) : 0;
    }

    /** Sets the end of a lease that was granted or renewed. A renewal never shortens the lease. */
    void extend(long newEndNanos) {
        if (!granted || newEndNanos - endNanos > 0) {
            endNanos = newEndNanos;
        }
        granted = true;
    }

    /** Ends the lease now, whatever was granted. */
    void revoke() {
        granted = false;
    }
}
