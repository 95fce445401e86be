package dev.granary.bench.eviction;

import dev.granary.bench.memory.SizeDistribution;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * Hit ratios of policies of eviction with the same requests and the same memory. What is asked for and is not there is
 * put. The first half of the requests fills the caches and does not count.
 */
public final class HitRatios {

    private static final int CHURN_EVERY = 1_000;
    private static final int KEY_BYTES = 32;

    /** More entries than fit on the average, as small ones may stay. */
    private static final double MORE_ENTRIES = 1.2;

    private final int[] requests;
    private final int[] sizes;
    private final long allBytes;
    private final int objects;

    /**
     * Draws requests.
     *
     * @param workload one of {@link SizeDistribution#CARRIED}
     * @param objects about how many there are at a time
     * @param count how many requests
     * @param churn how many objects are replaced by new ones with each thousand requests
     */
    public HitRatios(String workload, int objects, int count, int churn) {
        SplittableRandom random = new SplittableRandom(20_261_126);
        Popularity popularity = Popularity.load(workload, objects, random);
        this.objects = popularity.objects();
        int[] byRank = new int[this.objects];
        int fresh = 0;
        for (int i = 0; i < byRank.length; i++) {
            byRank[i] = fresh++;
        }
        requests = new int[count];
        for (int i = 0; i < count; i++) {
            for (int c = 0; i % CHURN_EVERY == 0 && c < churn; c++) {
                byRank[random.nextInt(byRank.length)] = fresh++;
            }
            requests[i] = random.nextDouble() < popularity.oneHits() ? fresh++ : byRank[popularity.draw(random)];
        }
        SizeDistribution distribution = SizeDistribution.load(workload);
        sizes = new int[fresh];
        long sum = 0;
        for (int i = 0; i < fresh; i++) {
            sizes[i] = KEY_BYTES + distribution.draw(random);
            sum += i < this.objects ? sizes[i] + SimulatedCache.ENTRY_BYTES : 0;
        }
        allBytes = sum;
    }

    /**
     * Returns the hit ratio of each policy.
     *
     * @param percent the memory, by that which all objects would take
     */
    public Map<String, Double> run(int percent) {
        long capacity = allBytes * percent / 100;
        int entries = expectedEntries(capacity);
        Map<String, LongFunction<SimulatedCache>> caches = new LinkedHashMap<>();
        caches.put("LRU", bytes -> new QueueCache(QueueCache.Kind.LRU, bytes));
        caches.put("Redis LRU", bytes -> new SampledCache(false, bytes));
        caches.put("Redis LFU", bytes -> new SampledCache(true, bytes));
        caches.put("CLOCK", bytes -> new QueueCache(QueueCache.Kind.CLOCK, bytes));
        caches.put("SIEVE", bytes -> new QueueCache(QueueCache.Kind.SIEVE, bytes));
        caches.put("S3-FIFO", S3FifoCache::new);
        caches.put("index", bytes -> new IndexCache(true, entries, bytes));
        caches.put("no ghosts", bytes -> new IndexCache(false, entries, bytes));
        Map<String, Double> ratios = new LinkedHashMap<>();
        caches.forEach((name, cache) -> ratios.put(name, ratio(cache.apply(capacity))));
        return ratios;
    }

    /** Returns about how many objects there is room for, without those that are too large to be kept. */
    private int expectedEntries(long capacity) {
        long kept = 0;
        long keptBytes = 0;
        for (int i = 0; i < objects; i++) {
            long size = (long) sizes[i] + SimulatedCache.ENTRY_BYTES;
            if (SimulatedCache.isKept(size, capacity)) {
                kept++;
                keptBytes += size;
            }
        }
        return (int) (MORE_ENTRIES * Math.min(kept, kept * capacity / Math.max(1, keptBytes)));
    }

    private double ratio(SimulatedCache cache) {
        int hits = 0;
        int counted = 0;
        for (int i = 0; i < requests.length; i++) {
            boolean hit = cache.request(requests[i], sizes[requests[i]]);
            if (i >= requests.length / 2) {
                counted++;
                hits += hit ? 1 : 0;
            }
        }
        return (double) hits / counted;
    }
}
