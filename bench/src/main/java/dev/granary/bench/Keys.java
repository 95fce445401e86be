package dev.granary.bench;

import java.util.SplittableRandom;

/** Object numbers drawn beforehand, so that drawing costs nothing while the clock runs. */
final class Keys {

    private static final double SKEW = 0.99;

    private Keys() {}

    static int[] uniform(int count, int objects, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] keys = new int[count];
        for (int i = 0; i < count; i++) {
            keys[i] = random.nextInt(objects);
        }
        return keys;
    }

    /**
     * Zipf's distribution with skew 0.99 by the method that YCSB uses (Gray et al., "Quickly generating billion-record
     * synthetic databases", SIGMOD 1994), the popular objects spread over all numbers.
     */
    static int[] zipf(int count, int objects, long seed) {
        double zeta = 0;
        for (int i = 1; i <= objects; i++) {
            zeta += 1 / Math.pow(i, SKEW);
        }
        double alpha = 1 / (1 - SKEW);
        double zetaOfTwo = 1 + Math.pow(0.5, SKEW);
        double eta = (1 - Math.pow(2.0 / objects, 1 - SKEW)) / (1 - zetaOfTwo / zeta);
        SplittableRandom random = new SplittableRandom(seed);
        int[] keys = new int[count];
        for (int i = 0; i < count; i++) {
            double u = random.nextDouble();
            double uz = u * zeta;
            long rank = uz < 1 ? 0 : uz < zetaOfTwo ? 1 : (long) (objects * Math.pow(eta * u - eta + 1, alpha));
            keys[i] = (int) (Math.min(rank, objects - 1) * 0x9e3779b1L % objects);
        }
        return keys;
    }
}
