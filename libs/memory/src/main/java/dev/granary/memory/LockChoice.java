package dev.granary.memory;

import org.jspecify.annotations.Nullable;

/**
 * Whether an operation on a chunk locks it for its duration, as callers lock chunks (DXMem section V-C: each operation
 * offers the choice). No lock means that the operation does not respect locks that callers hold; it is atomic all the
 * same.
 *
 * @param mode the lock to take, null for none
 * @param timeoutNanos how long to wait for it, in nanoseconds: 0 to try once, {@link Long#MAX_VALUE} for as long as it
 *     takes; 0 without a lock
 */
public record LockChoice(@Nullable LockMode mode, long timeoutNanos) {

    /** No lock. */
    public static final LockChoice NONE = new LockChoice(null, 0);

    /**
     * Checks the timeout.
     *
     * @throws IllegalArgumentException if it is negative, or given without a lock
     */
    public LockChoice {
        if (timeoutNanos < 0) {
            throw new IllegalArgumentException("timeoutNanos is " + timeoutNanos + ", allowed are 0 and more");
        }
        if (mode == null && timeoutNanos != 0) {
            throw new IllegalArgumentException("a timeout of " + timeoutNanos + " ns without a lock to wait for");
        }
    }

    /**
     * Locks for reading.
     *
     * @param timeoutNanos how long to wait, 0 to try once, {@link Long#MAX_VALUE} for as long as it takes
     * @throws IllegalArgumentException if it is negative
     */
    public static LockChoice read(long timeoutNanos) {
        return new LockChoice(LockMode.READ, timeoutNanos);
    }

    /**
     * Locks for writing.
     *
     * @param timeoutNanos how long to wait, 0 to try once, {@link Long#MAX_VALUE} for as long as it takes
     * @throws IllegalArgumentException if it is negative
     */
    public static LockChoice write(long timeoutNanos) {
        return new LockChoice(LockMode.WRITE, timeoutNanos);
    }
}
