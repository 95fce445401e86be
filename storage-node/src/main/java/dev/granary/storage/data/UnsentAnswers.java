package dev.granary.storage.data;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Tells whether too many bytes of answers are unsent, so that gets are refused: clients that take their answers slowly,
 * or not at all, keep them in the memory of this peer (SAFETY rule "budgets"). Thread-safe.
 */
public final class UnsentAnswers {

    /** Adding up what all connections have costs more than a get, so that it is done this often at most. */
    private static final long LOOK_NANOS = 2_000_000;

    private final LongSupplier unsentBytes;
    private final long maxBytes;
    private final AtomicLong lookedNanos;
    private volatile boolean tooMany;

    /**
     * @param unsentBytes of all connections; called by any thread
     * @param nowNanos what the monotonic clock shows: its origin is arbitrary, and 0 may be far in its future
     */
    public UnsentAnswers(LongSupplier unsentBytes, long maxBytes, long nowNanos) {
        this.unsentBytes = unsentBytes;
        this.maxBytes = maxBytes;
        this.lookedNanos = new AtomicLong(nowNanos - LOOK_NANOS);
    }

    /** Returns whether too many bytes were unsent a moment ago. */
    boolean areTooMany(long nowNanos) {
        long last = lookedNanos.get();
        if (nowNanos - last >= LOOK_NANOS && lookedNanos.compareAndSet(last, nowNanos)) {
            tooMany = unsentBytes.getAsLong() > maxBytes;
        }
        return tooMany;
    }
}
