package dev.granary.storage.data;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers that come often, in memory that does not grow: each falls into a slot, where the number that comes most often
 * prevails (the majority vote of Boyer and Moore, slot by slot). Thread-safe; counts may be off by what threads do at
 * the same moment.
 */
final class HotSlots {

    private final int shift;
    private final AtomicLongArray numbers;
    private final AtomicLongArray counts;

    /** @param bits the number of slots is two to the power of them */
    HotSlots(int bits) {
        this.shift = Long.SIZE - bits;
        this.numbers = new AtomicLongArray(1 << bits);
        this.counts = new AtomicLongArray(1 << bits);
    }

    /** Takes a number with its count. */
    interface Visitor {
        void visit(long number, long count);
    }

    /** A number comes. */
    void add(long number, long weight) {
        int slot = (int) ((number * 0x9E3779B97F4A7C15L) >>> shift);
        if (numbers.get(slot) == number) {
            counts.addAndGet(slot, weight);
            return;
        }
        long rest = weight - Math.max(0, counts.get(slot));
        if (rest > 0) {
            numbers.set(slot, number);
            counts.set(slot, rest);
        } else {
            counts.addAndGet(slot, -weight);
        }
    }

    /** Visits what prevails, in any order. */
    void forEach(Visitor visitor) {
        for (int slot = 0; slot < counts.length(); slot++) {
            long count = counts.get(slot);
            if (count > 0) {
                visitor.visit(numbers.get(slot), count);
            }
        }
    }

    /** Forgets half of what was seen. */
    void halve() {
        for (int slot = 0; slot < counts.length(); slot++) {
            counts.addAndGet(slot, -(counts.get(slot) / 2));
        }
    }
}
