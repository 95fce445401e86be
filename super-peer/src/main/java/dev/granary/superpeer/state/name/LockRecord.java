package dev.granary.superpeer.state.name;

/**
 * A lock that is held, or whose lease has ended and nobody has said so yet.
 *
 * @param cid of the chunk
 * @param lockId of the holder's wish
 * @param token greater than that of every holder of this lock before
 * @param leaseNanos how long it is held without a renewal
 */
public record LockRecord(long cid, long lockId, long token, long leaseNanos) {}
