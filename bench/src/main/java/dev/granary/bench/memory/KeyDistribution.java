package dev.granary.bench.memory;

import java.util.Locale;
import java.util.SplittableRandom;

/** How the objects of a workload are chosen. */
public enum KeyDistribution {
    /** Each as often as any other. */
    UNIFORM,
    /** Zipf's distribution with skew 0.99, the popular objects spread over all numbers. */
    ZIPF;

    /** Draws object numbers. Not thread-safe. */
    interface Source {
        long next();
    }

    /** Numbers from 0 to objects - 1. */
    Source source(long objects, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return this == UNIFORM ? () -> random.nextLong(objects) : new Zipf(objects, random)::nextObject;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
