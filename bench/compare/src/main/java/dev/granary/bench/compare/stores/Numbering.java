package dev.granary.bench.compare.stores;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The CIDs of numbered objects. The upper half of a number names its data, the lower half counts up. Thread-safe.
 *
 * <p>An application keeps CIDs in its own objects; this stands for that.
 */
final class Numbering {

    private static final int SEGMENT = 1 << 16;

    /** Segments by the first number of each, divided by their length. */
    private final ConcurrentHashMap<Long, AtomicLongArray> segments = new ConcurrentHashMap<>();

    /** Notes the CID of an object. */
    void put(long key, long cid) {
        segments.computeIfAbsent(key / SEGMENT, _ -> new AtomicLongArray(SEGMENT))
                .set((int) (key % SEGMENT), cid);
    }

    /**
     * The CID of an object.
     *
     * @throws IllegalStateException when none was noted
     */
    long cid(long key) {
        AtomicLongArray segment = segments.get(key / SEGMENT);
        long cid = segment == null ? 0 : segment.get((int) (key % SEGMENT));
        if (cid == 0) {
            throw new IllegalStateException("object " + key + " was never written");
        }
        return cid;
    }
}
