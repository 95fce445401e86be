package dev.granary.memory;

import java.util.concurrent.atomic.AtomicLong;

/** Counts up the LIDs that have never been given. Thread-safe. */
final class FreshLids {

    private final AtomicLong next;
    private final AtomicLong endExclusive;

    FreshLids(long first) {
        this.next = new AtomicLong(first);
        this.endExclusive = new AtomicLong(first);
    }

    void reserve(long end) {
        endExclusive.accumulateAndGet(end, Math::max);
    }

    long next() {
        return next.get();
    }

    long endExclusive() {
        return endExclusive.get();
    }

    /** Takes the LIDs from first to first + count - 1, if first is the next one. */
    boolean take(long first, long count) {
        return next.compareAndSet(first, first + count);
    }
}
