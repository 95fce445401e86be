package dev.granary.storage.keyed;

import java.util.concurrent.atomic.LongAdder;

/** What has become of keys since the start. Thread-safe. */
final class KeyedCounts {

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder expired = new LongAdder();
    private final LongAdder evicted = new LongAdder();

    /** Counts what one call has found. */
    void found(long hitCount, long missCount) {
        add(hits, hitCount);
        add(misses, missCount);
    }

    /** Counts which keys were removed that nobody has removed. */
    void removed(long expiredCount, long evictedCount) {
        add(expired, expiredCount);
        add(evicted, evictedCount);
    }

    private static void add(LongAdder counter, long count) {
        if (count != 0) {
            counter.add(count);
        }
    }

    long hits() {
        return hits.sum();
    }

    long misses() {
        return misses.sum();
    }

    long expired() {
        return expired.sum();
    }

    long evicted() {
        return evicted.sum();
    }
}
