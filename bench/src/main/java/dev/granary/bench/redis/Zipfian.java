package dev.granary.bench.redis;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Zipf's law with any exponent: rank r from 0 on has a probability in proportion to 1 / (r + 1)^skew. */
final class Zipfian {

    private final double[] cumulative;
    private final SplittableRandom random;

    Zipfian(int objects, double skew, SplittableRandom random) {
        this.random = random;
        cumulative = new double[objects];
        double sum = 0;
        for (int i = 0; i < objects; i++) {
            sum += Math.pow(i + 1.0, -skew);
            cumulative[i] = sum;
        }
    }

    int nextRank() {
        double drawn = random.nextDouble() * cumulative[cumulative.length - 1];
        int place = Arrays.binarySearch(cumulative, drawn);
        return Math.min(place < 0 ? -place - 1 : place + 1, cumulative.length - 1);
    }
}
