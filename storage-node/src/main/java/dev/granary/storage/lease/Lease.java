package dev.granary.storage.lease;

import dev.granary.env.Clock;

/**
 * Whether this peer may serve, for the I/O threads. A lease lasts until a moment of the monotonic clock that was
 * counted from when its renewal was <em>sent</em> (SAFETY rule "leases"). Thread-safe.
 */
public final class Lease {

    private final Clock clock;

    /** Never the end of a real lease: without one, {@link #isValid} must not depend on the clock's origin. */
    private volatile boolean granted;

    private volatile long endNanos;

    public Lease(Clock clock) {
        this.clock = clock;
    }

    /** Whether the lease holds at this moment. */
    public boolean isValid() {
        return granted && clock.nanoTime() - endNanos < 0;
    }

    /** What is left, in nanoseconds; 0 when there is no lease. */
    public long remainingNanos() {
        return granted ? Math.max(0, endNanos - clock.nanoTime()) : 0;
    }

    /** A lease was granted or renewed that ends then. A renewal never shortens the lease. */
    void extend(long newEndNanos) {
        if (!granted || newEndNanos - endNanos > 0) {
            endNanos = newEndNanos;
        }
        granted = true;
    }

    /** There is no lease any more, whatever was granted. */
    void revoke() {
        granted = false;
    }
}
