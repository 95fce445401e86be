package dev.granary.log.backup;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Sequences that must be somewhere and were not found yet, as ranges. Not thread-safe. */
final class MissingSequences {

    private final TreeMap<Long, Long> ranges = new TreeMap<>();

    /** Adds a range that does not overlap another one. */
    void add(long first, long last) {
        ranges.put(first, last);
    }

    /** Takes a sequence out; false if it is not missing. */
    boolean remove(long sequence) {
        Map.Entry<Long, Long> range = ranges.floorEntry(sequence);
        if (range == null || range.getValue() < sequence) {
            return false;
        }
        ranges.remove(range.getKey());
        if (range.getKey() < sequence) {
            ranges.put(range.getKey(), sequence - 1);
        }
        if (sequence < range.getValue()) {
            ranges.put(sequence + 1, range.getValue());
        }
        return true;
    }

    /** Tells the ranges. */
    void forEach(BiConsumer<Long, Long> visitor) {
        ranges.forEach(visitor);
    }
}
