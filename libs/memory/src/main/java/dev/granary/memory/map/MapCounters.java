package dev.granary.memory.map;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many entries there are and what their keys and values take, counted apart for groups that agree in the lowest
 * bits of their numbers, which splits and merges do not change.
 */
final class MapCounters {

    private static final int STRIPES = (int) MapDirectory.MIN_GROUPS;

    /** Longs to a stripe: two cache lines, so that no two stripes share one. */
    private static final int STRIDE = 16;

    /** What they take on the heap. */
    static final int HEAP_BYTES = STRIPES * STRIDE * Long.BYTES;

    private final AtomicLongArray counters = new AtomicLongArray(STRIPES * STRIDE);

    void add(long group, int entries, long payloadBytes) {
        int stripe = stripe(group);
        if (entries != 0) {
            counters.getAndAdd(stripe, entries);
        }
        if (payloadBytes != 0) {
            counters.getAndAdd(stripe + 1, payloadBytes);
        }
    }

    /** The entries of the groups like this one. */
    long entriesLike(long group) {
        return counters.get(stripe(group));
    }

    long payloadBytesLike(long group) {
        return counters.get(stripe(group) + 1);
    }

    long entries() {
        return sum(0);
    }

    long payloadBytes() {
        return sum(1);
    }

    private long sum(int which) {
        long sum = 0;
        for (int i = 0; i < STRIPES; i++) {
            sum += counters.get(i * STRIDE + which);
        }
        return sum;
    }

    private static int stripe(long group) {
        return (int) (group & (STRIPES - 1)) * STRIDE;
    }
}
