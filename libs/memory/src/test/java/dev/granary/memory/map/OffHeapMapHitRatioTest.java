package dev.granary.memory.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Hit ratios of a map that evicts by SIEVE, with entries of one size, beside LRU and FIFO of as many entries. The skews
 * are those of tiny objects in production: Zipf's law with exponents of 0.8 to 1.5. Objects are replaced as time goes
 * by, and scans of objects that nobody wants again come in between.
 */
class OffHeapMapHitRatioTest {

    private static final int OBJECTS = 100_000;
    private static final int REQUESTS = 400_000;

    /** The first requests fill the caches and do not count. */
    private static final int WARM = 150_000;

    /** So often some of the objects are replaced by new ones. */
    private static final int CHURN_EVERY = 2000;

    private static final int SCAN_EVERY = 20_000;
    private static final int SCAN_LENGTH = 5000;

    @ParameterizedTest
    @CsvSource({
        "0.8, 0, false, 0.04", "0.8, 300, false, 0.02", "0.8, 300, true, 0.04", "0.99, 0, false, 0.02",
        "0.99, 300, false, 0.005", "0.99, 300, true, 0.02", "1.49, 300, true, 0.001", "0.99, 1000, false, -0.02"
    })
    void get_sieveOfAMap_hitsMoreThanLruUnlessEverythingChanges(
            double skew, int churn, boolean scans, double moreThanLru) {
        long seed = 20261126;
        OffHeapMapConfig config =
                OffHeapMapConfig.of(4 << 20).withHugePages(false).withLimit(400 << 10, OffHeapMapEviction.SIEVE);
        try (OffHeapMap map = OffHeapMap.open(config)) {
            double sieve = ratio(key -> request(map, key), new Requests(skew, churn, scans, seed));
            int entries = (int) map.size();
            double lru = ratio(new Queue(entries, true)::request, new Requests(skew, churn, scans, seed));
            double fifo = ratio(new Queue(entries, false)::request, new Requests(skew, churn, scans, seed));
            System.out.printf(
                    "skew %.2f churn %d scans %b, %d entries: map %.4f LRU %.4f FIFO %.4f%n",
                    skew, churn, scans, entries, sieve, lru, fifo);
            assertThat(sieve).isGreaterThan(fifo);
            assertThat(sieve).isGreaterThan(lru + moreThanLru);
            OffHeapMapTests.assertSound(map);
        }
    }

    private interface Cache {
        /** Gets an object, or puts it; whether it was there. */
        boolean request(int key);
    }

    private static boolean request(OffHeapMap map, int key) {
        byte[] bytes = ByteBuffer.allocate(8).putInt(key).array();
        boolean hit = map.get(bytes) != null;
        if (!hit) {
            map.put(bytes, new byte[16]);
        }
        return hit;
    }

    private static double ratio(Cache cache, Requests requests) {
        int hits = 0;
        for (int i = 0; i < REQUESTS; i++) {
            boolean hit = cache.request(requests.next(i));
            hits += hit && i >= WARM ? 1 : 0;
        }
        return (double) hits / (REQUESTS - WARM);
    }

    /** The keys that are asked for. */
    private static final class Requests {
        private final double[] cumulative = new double[OBJECTS];
        private final int[] objects = new int[OBJECTS];
        private final int churn;
        private final boolean scans;
        private final Random random;
        private int fresh;

        Requests(double skew, int churn, boolean scans, long seed) {
            this.churn = churn;
            this.scans = scans;
            this.random = new Random(seed);
            double sum = 0;
            for (int i = 0; i < OBJECTS; i++) {
                sum += Math.pow(i + 1, -skew);
                cumulative[i] = sum;
                objects[i] = fresh++;
            }
        }

        int next(int request) {
            for (int i = 0; request % CHURN_EVERY == 0 && i < churn; i++) {
                objects[random.nextInt(OBJECTS)] = fresh++;
            }
            if (scans && request % SCAN_EVERY < SCAN_LENGTH) {
                return fresh++;
            }
            int rank = Arrays.binarySearch(cumulative, random.nextDouble() * cumulative[OBJECTS - 1]);
            return objects[rank < 0 ? Math.min(-rank - 1, OBJECTS - 1) : rank];
        }
    }

    /** LRU or FIFO of a number of entries. */
    private static final class Queue {
        private final Map<Integer, Integer> map;

        Queue(int entries, boolean byUse) {
            map = new LinkedHashMap<>(16, 0.75f, byUse) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, Integer> eldest) {
                    return size() > entries;
                }
            };
        }

        boolean request(int key) {
            boolean hit = map.get(key) != null;
            if (!hit) {
                map.put(key, key);
            }
            return hit;
        }
    }
}
