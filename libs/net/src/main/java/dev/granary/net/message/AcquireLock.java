package dev.granary.net.message;

import io.netty.buffer.ByteBuf;

/**
 * Asks for the lock of a chunk. Goes to the super-peer whose arc holds the NID of the CID; another one redirects. The
 * holder counts its lease from the moment it sent the request that was granted.
 *
 * @param cid of the chunk
 * @param lockId random, of this wish to hold the lock, the same in each attempt; not 0
 * @param leaseNanos how long the lock is held without a renewal
 * @param waitNanos how long the answer may be held back while another one holds the lock; 0 for not at all
 */
public record AcquireLock(long cid, long lockId, long leaseNanos, long waitNanos) implements Message {

    /** The shortest lease of a lock. */
    public static final long MIN_LEASE_NANOS = 100_000_000L;

    /** The longest lease of a lock. */
    public static final long MAX_LEASE_NANOS = 3_600_000_000_000L;

    @Override
    public void writeTo(ByteBuf out) {
        out.writeLongLE(cid).writeLongLE(lockId).writeLongLE(leaseNanos).writeLongLE(waitNanos);
    }

    static AcquireLock read(ByteBuf in) {
        return new AcquireLock(in.readLongLE(), in.readLongLE(), in.readLongLE(), in.readLongLE());
    }
}
