package dev.granary.bench.map;

import java.util.Locale;

/** The measured maps. */
public enum MapKind {
    /** The off-heap map. */
    GRANARY,
    /** {@link java.util.HashMap}, for one thread. */
    HASHMAP,
    /** {@link java.util.concurrent.ConcurrentHashMap}. */
    CONCURRENTHASHMAP;

    /** Whether keys and values lie on the heap. */
    public boolean isOnHeap() {
        return this != GRANARY;
    }

    /** Whether several threads may use the map at once. */
    public boolean isConcurrent() {
        return this != HASHMAP;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
