package dev.granary.superpeer.state.name;

/**
 * A client lock that is held, or whose lease has ended without a command that says so.
 *
 * @param cid of the chunk
 * @param lockId of the holder's lock request
 * @param token greater than that of every holder of this lock before
 * @param leaseNanos for how long the lock is held without a renewal
 */
public record LockRecord(long cid, long lockId, long token, long leaseNanos) {}
