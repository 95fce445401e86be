package dev.granary.bench.eviction;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Redis's {@code allkeys-lru} and {@code allkeys-lfu}: of five entries by chance, and of the best fifteen that earlier
 * samples have left, the one goes that was idle for longest or asked for least. Three bytes an entry.
 */
final class SampledCache extends SimulatedCache {

    private static final int CLOCK_BYTES = 3;
    private static final int SAMPLE = 5;
    private static final int POOL = 16;
    private static final int FIRST_COUNT = 5;
    private static final int MOST_COUNT = 255;
    private static final double LOG_FACTOR = 10;

    /** After so many requests a count is one less: Redis's minute. */
    private static final int DECAY_REQUESTS = 50_000;

    private final boolean byCount;
    private final SplittableRandom random = new SplittableRandom(6);
    private final int[] pool = new int[POOL];
    private final long[] poolRanks = new long[POOL];
    private int[] present = {};
    private int[] places = {};
    private long[] askedAt = {};
    private int[] counts = {};
    private int pooled;
    private int size;
    private long now;

    SampledCache(boolean byCount, long capacityBytes) {
        super(capacityBytes, CLOCK_BYTES);
        this.byCount = byCount;
    }

    @Override
    void grow(int objects) {
        present = Arrays.copyOf(present, objects);
        places = Arrays.copyOf(places, objects);
        askedAt = Arrays.copyOf(askedAt, objects);
        counts = Arrays.copyOf(counts, objects);
    }

    @Override
    void hit(int object) {
        now++;
        int count = count(object);
        double chance = 1 / (Math.max(0, count - FIRST_COUNT) * LOG_FACTOR + 1);
        counts[object] = Math.min(MOST_COUNT, count + (random.nextDouble() < chance ? 1 : 0));
        askedAt[object] = now;
    }

    private int count(int object) {
        return (int) Math.max(0, counts[object] - (now - askedAt[object]) / DECAY_REQUESTS);
    }

    @Override
    void put(int object) {
        now++;
        present[size] = object;
        places[object] = size++;
        counts[object] = FIRST_COUNT;
        askedAt[object] = now;
    }

    /** Returns a number that is higher for an object that should go earlier. */
    private long rank(int object) {
        return byCount ? MOST_COUNT - count(object) : now - askedAt[object];
    }

    @Override
    int victim() {
        while (true) {
            for (int i = 0; i < SAMPLE; i++) {
                offer(present[random.nextInt(size)]);
            }
            while (pooled > 0) {
                int object = pool[--pooled];
                if (places[object] < size && present[places[object]] == object) {
                    int last = present[--size];
                    present[places[object]] = last;
                    places[last] = places[object];
                    return object;
                }
            }
        }
    }

    /** Puts an object into the pool, by its rank, unless it is there or the pool is full of better ones. */
    private void offer(int object) {
        long rank = rank(object);
        for (int i = 0; i < pooled; i++) {
            if (pool[i] == object) {
                return;
            }
        }
        if (pooled == POOL) {
            if (rank <= poolRanks[0]) {
                return;
            }
            System.arraycopy(pool, 1, pool, 0, --pooled);
            System.arraycopy(poolRanks, 1, poolRanks, 0, pooled);
        }
        int at = pooled++;
        while (at > 0 && poolRanks[at - 1] > rank) {
            pool[at] = pool[at - 1];
            poolRanks[at] = poolRanks[--at];
        }
        pool[at] = object;
        poolRanks[at] = rank;
    }
}
