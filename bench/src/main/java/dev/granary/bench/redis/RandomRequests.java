package dev.granary.bench.redis;

import java.util.SplittableRandom;

/** Gets, or sets, of keys that are all equally likely, without end. */
public final class RandomRequests implements Requests {

    private final boolean gets;
    private final long keys;
    private final SplittableRandom random;

    private RandomRequests(boolean gets, long keys, long seed) {
        this.gets = gets;
        this.keys = keys;
        this.random = new SplittableRandom(seed);
    }

    /** Gets of the keys from 0 on. */
    public static RandomRequests gets(long keys, long seed) {
        return new RandomRequests(true, keys, seed);
    }

    /** Sets of the keys from 0 on to the first version of their values. */
    public static RandomRequests sets(long keys, long seed) {
        return new RandomRequests(false, keys, seed);
    }

    @Override
    public long next() {
        long key = random.nextLong(keys);
        return gets ? Operation.get(key) : Operation.set(key, 0);
    }
}
