package dev.granary.storage.lease;

import dev.granary.env.Clock;

/** Leases that no super-peer has granted, for tests of what looks at them. */
public final class Leases {

    private Leases() {}

    /** A lease that ends at a moment of the clock. */
    public static Lease until(Clock clock, long endNanos) {
        Lease lease = new Lease(clock);
        lease.extend(endNanos);
        return lease;
    }
}
