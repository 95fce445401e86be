package dev.granary.bench.memory;

import java.util.Locale;
import java.util.SplittableRandom;

/** The distribution by which a workload chooses objects. */
public enum KeyDistribution {
    /** All objects equally often. */
    UNIFORM,
    /** Zipf's distribution with skew 0.99, the popular objects spread over all numbers. */
    ZIPF;

    /** Draws object numbers. Not thread-safe. */
    interface Source {
        long next();
    }

    /** A source of numbers from 0 to objects - 1. */
    Source source(long objects, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return this == UNIFORM ? () -> random.nextLong(objects) : new Zipf(objects, random)::nextObject;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
