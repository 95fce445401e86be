package dev.granary.bench.eviction;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * How often objects of a production workload are asked for, from the {@code pop.json} of CacheLib's CacheBench: buckets
 * of objects that are alike, each with the weight of all its requests. A part of the objects is taken by chance, which
 * leaves the form of the distribution as it is.
 */
final class Popularity {

    /** How many objects the buckets up to each have. */
    private final int[] ends;

    /** Which share of the requests the buckets up to each have. */
    private final double[] cumulative;

    private final double oneHits;

    private Popularity(int[] ends, double[] cumulative, double oneHits) {
        this.ends = ends;
        this.cumulative = cumulative;
        this.oneHits = oneHits;
    }

    /**
     * Loads the distribution of a workload that is included.
     *
     * @param objects about how many objects to take
     */
    static Popularity load(String workload, int objects, SplittableRandom random) {
        String resource = "/workloads/" + workload + "/pop.json";
        try (InputStream in = Popularity.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing from the program");
            }
            return of(new ObjectMapper().readTree(in), objects, random);
        } catch (IOException e) {
            throw new UncheckedIOException(resource + " cannot be read", e);
        }
    }

    private static Popularity of(JsonNode root, int objects, SplittableRandom random) {
        JsonNode buckets = root.path("popularityBuckets");
        JsonNode weights = root.path("popularityWeights");
        double all = 0;
        for (JsonNode bucket : buckets) {
            all += bucket.asDouble();
        }
        int[] ends = new int[buckets.size()];
        double[] cumulative = new double[buckets.size()];
        int end = 0;
        double sum = 0;
        for (int i = 0; i < ends.length; i++) {
            double wanted = buckets.get(i).asDouble() * objects / all;
            int taken = (int) wanted + (random.nextDouble() < wanted - (int) wanted ? 1 : 0);
            end += taken;
            sum += weights.get(i).asDouble() * taken / buckets.get(i).asDouble();
            ends[i] = end;
            cumulative[i] = sum;
        }
        for (int i = 0; i < cumulative.length; i++) {
            cumulative[i] /= sum;
        }
        return new Popularity(ends, cumulative, root.path("oneHits").asDouble());
    }

    /** Returns how many objects there are. */
    int objects() {
        return ends[ends.length - 1];
    }

    /** Returns the share of requests for objects that nobody asks for again. */
    double oneHits() {
        return oneHits;
    }

    /** Draws the rank of an object. */
    int draw(SplittableRandom random) {
        int found = Arrays.binarySearch(cumulative, random.nextDouble());
        int bucket = Math.min(found < 0 ? -found - 1 : found, ends.length - 1);
        while (ends[bucket] == start(bucket)) {
            bucket = bucket + 1 < ends.length ? bucket + 1 : 0;
        }
        return random.nextInt(start(bucket), ends[bucket]);
    }

    private int start(int bucket) {
        return bucket == 0 ? 0 : ends[bucket - 1];
    }
}
