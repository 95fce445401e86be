package dev.granary.storage.keyed;

import java.util.concurrent.atomic.LongAdder;

/** What has become of keys since the start. Thread-safe. */
final class KeyedCounts {

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder expired = new LongAdder();

    /** Counts what one call has found. */
    void add(long hitCount, long missCount, long expiredCount) {
        hits.add(hitCount);
        misses.add(missCount);
        expired.add(expiredCount);
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
}
