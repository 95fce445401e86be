package dev.granary.superpeer.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The leases of one arc. In memory only: a restarted super-peer {@linkplain #assume assumes} that every storage peer
 * that it knows holds a lease, and so waits one full lease before it declares any lease expired. One thread at a time.
 *
 * <p>Invariants: (1) a NID has at most one lease; (2) a lease that has not expired can be renewed by its incarnation
 * only; (3) no lease expires in a look that comes after a pause: after a pause the table waits in full again for each
 * lease that had not expired.
 */
public final class LeaseTable {

    private LeaseTerms terms;
    private final TreeMap<Integer, Lease> leases = new TreeMap<>();
    private long lastLookNanos;

    /**
     * @param terms how long leases are
     * @param nowNanos the monotonic time
     */
    public LeaseTable(LeaseTerms terms, long nowNanos) {
        this.terms = terms;
        this.lastLookNanos = nowNanos;
    }

    /**
     * Sets the length of the leases that are granted or renewed from now on. Leases that were granted before keep their
     * length.
     */
    public void use(LeaseTerms newTerms) {
        terms = newTerms;
    }

    private static final class Lease {
        private final long incarnation;
        private long countedFromNanos;
        private long waitNanos;
        private boolean expired;

        private Lease(long incarnation) {
            this.incarnation = incarnation;
        }

        private void start(long nowNanos, long newWaitNanos) {
            countedFromNanos = nowNanos;
            waitNanos = newWaitNanos;
            expired = false;
        }

        private long remainingNanos(long nowNanos) {
            return expired ? 0 : Math.max(0, countedFromNanos + waitNanos - nowNanos);
        }
    }

    /** A lease that has ended because nobody renewed it. */
    public record Expired(int nid, long incarnation) {}

    /**
     * Notices whether this node was paused since its last look, and if so waits for every lease in full again. To be
     * called before every decision about a lease.
     *
     * @return the length of the pause in nanoseconds, or 0 when there was none
     */
    public long look(long nowNanos) {
        long gapNanos = nowNanos - lastLookNanos;
        lastLookNanos = nowNanos;
        if (gapNanos <= terms.pauseNanos()) {
            return 0;
        }
        for (Lease lease : leases.values()) {
            if (!lease.expired) {
                lease.start(nowNanos, Math.max(lease.waitNanos, terms.waitNanos()));
            }
        }
        return gapNanos;
    }

    /**
     * Treats the lease of an incarnation as granted at a moment. Used by a new leader, whose table does not know the
     * leases of the previous one.
     *
     * @param sinceNanos the moment; nobody has granted or renewed the lease after it
     * @param waitNanos how long to wait for the lease; not less than the wait of any lease that a previous leader may
     *     have granted
     */
    public void assume(int nid, long incarnation, long sinceNanos, long waitNanos) {
        Lease lease = new Lease(incarnation);
        lease.start(sinceNanos, waitNanos);
        leases.put(nid, lease);
    }

    /** Grants a lease to an incarnation that was admitted. Replaces the lease of another incarnation. */
    public void grant(int nid, long incarnation, long nowNanos) {
        if (renew(nid, incarnation, nowNanos) == Renewal.UNKNOWN) {
            assume(nid, incarnation, nowNanos, terms.waitNanos());
        }
    }

    /** What a renewal led to. */
    public enum Renewal {
        /** The lease goes on. */
        RENEWED,
        /** The lease had expired and no other incarnation had taken its place: it goes on. */
        RESUMED,
        /** The incarnation has no lease. */
        UNKNOWN
    }

    /** Renews a lease, and returns what the renewal led to. */
    public Renewal renew(int nid, long incarnation, long nowNanos) {
        Lease lease = leases.get(nid);
        if (lease == null || lease.incarnation != incarnation) {
            return Renewal.UNKNOWN;
        }
        Renewal renewal = lease.expired ? Renewal.RESUMED : Renewal.RENEWED;
        // A wait that was assumed after a restart may be longer than a new one, as the lease before the restart may be
        // longer.
        long oldRemainingNanos = lease.remainingNanos(nowNanos);
        lease.start(nowNanos, Math.max(terms.waitNanos(), oldRemainingNanos));
        return renewal;
    }

    /** Forgets the lease of an incarnation that has ended or has given its lease back. */
    public void close(int nid, long incarnation) {
        Lease lease = leases.get(nid);
        if (lease != null && lease.incarnation == incarnation) {
            leases.remove(nid);
        }
    }

    /**
     * Returns how long another incarnation has to wait for this NID's lease; 0 when there is no lease or it has
     * expired.
     */
    public long remainingNanos(int nid, long nowNanos) {
        Lease lease = leases.get(nid);
        return lease == null ? 0 : lease.remainingNanos(nowNanos);
    }

    /** Whether this NID has a lease that has not been declared expired. */
    public boolean isLive(int nid) {
        Lease lease = leases.get(nid);
        return lease != null && !lease.expired;
    }

    /** Returns the incarnation that holds or last held the lease of this NID, or null. */
    public @Nullable Long incarnation(int nid) {
        Lease lease = leases.get(nid);
        return lease == null ? null : lease.incarnation;
    }

    /** Returns how long it takes until the next lease ends unless renewed; {@code Long.MAX_VALUE} without leases. */
    public long nextEndNanos(long nowNanos) {
        long nextNanos = Long.MAX_VALUE;
        for (Lease lease : leases.values()) {
            if (!lease.expired) {
                nextNanos = Math.min(nextNanos, lease.remainingNanos(nowNanos));
            }
        }
        return nextNanos;
    }

    /** Declares every lease expired whose time has passed. Returns those that this call has declared expired. */
    public List<Expired> expire(long nowNanos) {
        List<Expired> ended = new ArrayList<>();
        leases.forEach((nid, lease) -> {
            if (!lease.expired && lease.remainingNanos(nowNanos) == 0) {
                lease.expired = true;
                ended.add(new Expired(nid, lease.incarnation));
            }
        });
        return ended;
    }
}
