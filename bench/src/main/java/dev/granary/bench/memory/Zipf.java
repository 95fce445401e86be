package dev.granary.bench.memory;

import java.util.SplittableRandom;

/**
 * Zipf's distribution by the method that YCSB uses (Gray et al., "Quickly generating billion-record synthetic
 * databases", SIGMOD 1994): rank r is drawn with a probability in proportion to 1 / (r + 1)^0.99. Not thread-safe.
 */
public final class Zipf {

    static final double SKEW = 0.99;

    /**
     * The number of terms that are summed one by one. The rest is an integral, whose error here is far below a double's
     * precision.
     */
    private static final int EXACT_TERMS = 100_000;

    /** A prime: multiplication by it modulo the number of objects reaches each object once. */
    private static final long SPREAD = 2_654_435_761L;

    private final long objects;
    private final SplittableRandom random;
    private final double zeta;
    private final double eta;

    /** Makes a distribution over objects that are numbered from 0. */
    public Zipf(long objects, SplittableRandom random) {
        if (objects < 1 || objects > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("objects: " + objects);
        }
        this.objects = objects;
        this.random = random;
        zeta = zeta((double) objects);
        eta = (1 - Math.pow(2.0 / objects, 1 - SKEW)) / (1 - zeta(2) / zeta);
    }

    /** The sum of 1 / i^0.99 for i from 1 to n. Terms beyond the exact ones use the Euler-Maclaurin formula. */
    static double zeta(double n) {
        double sum = 0;
        double exact = Math.min(n, EXACT_TERMS);
        for (int i = 1; i <= exact; i++) {
            sum += Math.pow(i, -SKEW);
        }
        if (n > exact) {
            double integral = (Math.pow(n, 1 - SKEW) - Math.pow(exact, 1 - SKEW)) / (1 - SKEW);
            sum += integral + (Math.pow(n, -SKEW) - Math.pow(exact, -SKEW)) / 2;
        }
        return sum;
    }

    /** Draws a rank; 0 is the most popular. */
    public long nextRank() {
        double u = random.nextDouble();
        double uz = u * zeta;
        if (uz < 1) {
            return 0;
        }
        if (uz < 1 + Math.pow(0.5, SKEW)) {
            return Math.min(1, objects - 1);
        }
        return Math.min((long) (objects * Math.pow(eta * u - eta + 1, 1 / (1 - SKEW))), objects - 1);
    }

    /** Draws an object's number; the ranks are spread over all objects. */
    public long nextObject() {
        return nextRank() * SPREAD % objects;
    }
}
