package dev.granary.net.message;

import dev.granary.schema.I32;

/** Locks on chunks: leases with fencing tokens. */
public final class LockMessages {

    private LockMessages() {}

    /**
     * Asks for the lock of a chunk. Goes to the super-peer whose arc holds the NID of the CID; another one redirects.
     * The holder counts its lease from the moment it sent the request that was granted.
     *
     * @param cid of the chunk
     * @param lockId random id of this lock request, the same in each attempt; not 0
     * @param leaseNanos how long the lock is held without a renewal
     * @param waitNanos how long the answer may be held back while another one holds the lock; 0 for not at all
     */
    public record AcquireLock(long cid, long lockId, long leaseNanos, long waitNanos) implements Message {

        /** The shortest lease of a lock. */
        public static final long MIN_LEASE_NANOS = 100_000_000L;

        /** The longest lease of a lock. */
        public static final long MAX_LEASE_NANOS = 3_600_000_000_000L;
    }

    /**
     * Whether a lock was granted.
     *
     * @param token fencing token of the holder, greater than that of every holder of this lock before;
     *     0 when another one holds the lock
     * @param remainingNanos what is left of the other one's lease; 0 when the lock is granted
     */
    public record AcquireLockReply(long token, long remainingNanos) implements Message {}

    /**
     * Asks for another lease of a lock. The holder counts it from the moment it sent this.
     *
     * @param cid of the chunk
     * @param token of the holder
     */
    public record RenewLock(long cid, long token) implements Message {}

    /** The lock is held for another lease of this length. */
    public record RenewLockReply(long leaseNanos) implements Message {}

    /**
     * Gives a lock back. Succeeds as well when the lock had already ended.
     *
     * @param cid of the chunk
     * @param token of the holder
     */
    public record ReleaseLock(long cid, long token) implements Message {}

    /** Asks who holds the lock of a chunk. */
    public record ShowLock(long cid) implements Message {}

    /**
     * The lock of a chunk.
     *
     * @param token of the holder, 0 when nobody holds it
     * @param remainingNanos what is left of the lease
     * @param waiting how many wait for it
     */
    public record ShowLockReply(
            long token, long remainingNanos, @I32 int waiting) implements Message {}
}
