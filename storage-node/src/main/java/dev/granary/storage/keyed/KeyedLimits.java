package dev.granary.storage.keyed;

/**
 * How much memory keys of this storage peer may take, and what makes way when it is used up. Redis clients may change
 * it while the process runs. Thread-safe.
 */
public final class KeyedLimits {

    private volatile long maxBytes;
    private volatile EvictionPolicy policy;

    /** @param maxBytes for entries and indexes of keys; 0 when only the memory plan bounds them */
    public KeyedLimits(long maxBytes, EvictionPolicy policy) {
        this.maxBytes = maxBytes;
        this.policy = policy;
    }

    /** Keys may take what the memory plan gives, and nothing makes way. */
    public static KeyedLimits none() {
        return new KeyedLimits(0, EvictionPolicy.NOEVICTION);
    }

    /** Returns how many bytes keys may take; {@link Long#MAX_VALUE} when only the memory plan bounds them. */
    public long maxBytes() {
        long max = maxBytes;
        return max == 0 ? Long.MAX_VALUE : max;
    }

    /** Returns the same, but 0 when only the memory plan bounds them. */
    public long wantedBytes() {
        return maxBytes;
    }

    /** Sets how many bytes keys may take; 0 when only the memory plan is to bound them. */
    public void wantedBytes(long bytes) {
        maxBytes = bytes;
    }

    public EvictionPolicy policy() {
        return policy;
    }

    public void policy(EvictionPolicy other) {
        policy = other;
    }
}
