package dev.granary.superpeer.lease;

import java.util.concurrent.TimeUnit;

/**
 * How long leases are and how long their grantor waits. The peer counts the lease on its own clock from the moment it
 * <em>sent</em> the request; the grantor counts from when it handled it and waits longer, by what two clocks may drift
 * apart and a margin. So the peer has always stopped serving when the grantor says that the lease has ended, as long as
 * the clocks of two machines run at rates within one percent of each other (ADR 0082).
 *
 * @param leaseNanos the length that peers are told
 */
public record LeaseTerms(long leaseNanos) {

    /** The grantor waits longer than the lease by one part in this many, for the drift of clocks. */
    private static final long DRIFT_DIVISOR = 100;

    /** The grantor also waits this much longer, for reading a clock and acting on it. */
    private static final long MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long MIN_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Checks that the length is positive. */
    public LeaseTerms {
        if (leaseNanos <= 0) {
            throw new IllegalArgumentException("a lease of " + leaseNanos + " ns");
        }
    }

    /** Returns how long the grantor waits, from when it handled a request, before it counts the lease as ended. */
    public long waitNanos() {
        return leaseNanos + leaseNanos / DRIFT_DIVISOR + MARGIN_NANOS;
    }

    /** Returns the time between two looks of the grantor at its leases. */
    public long tickNanos() {
        return Math.clamp(leaseNanos / 8, MIN_TICK_NANOS, MAX_TICK_NANOS);
    }

    /**
     * Returns the longest normal time between two looks. A longer time means that the grantor was paused and may have
     * missed renewals.
     */
    public long pauseNanos() {
        return tickNanos() + leaseNanos / 4;
    }
}
