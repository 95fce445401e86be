package dev.granary.bench.redis;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;

/**
 * What an application asks of a cache: gets of objects by Zipf's law, and a set of each object that was not there. As
 * time goes by, objects are replaced by new ones. Counts hits once the cache had time to fill.
 */
public final class CacheRequests implements Requests {

    private static final int CHURN_PERCENT = 20;

    private final int objects;
    private final long gets;
    private final long counted;
    private final Zipfian popularity;
    private final SplittableRandom random;
    /** How often the object of each rank was replaced. */
    private final int[] generations;

    private final long getsByReplacement;
    private final Queue<Long> missing = new ArrayDeque<>();
    private long asked;
    private long answered;
    private long hits;
    private long misses;

    /**
     * A run.
     *
     * @param objects objects that are asked for at any time
     * @param skew the exponent of Zipf's law
     * @param gets gets in all, of which the second half is counted; while they last, a fifth as many objects as there
     *     are is replaced
     */
    public CacheRequests(int objects, double skew, long gets, long seed) {
        this.objects = objects;
        this.gets = gets;
        counted = gets / 2;
        random = new SplittableRandom(seed);
        popularity = new Zipfian(objects, skew, random.split());
        generations = new int[objects];
        getsByReplacement = Math.max(1, gets * 100 / ((long) objects * CHURN_PERCENT));
    }

    @Override
    public long next() {
        Long key = missing.poll();
        if (key != null) {
            return Operation.set(key, 0);
        }
        if (asked == gets) {
            return NONE;
        }
        if (++asked % getsByReplacement == 0) {
            generations[random.nextInt(objects)]++;
        }
        int rank = popularity.nextRank();
        return Operation.get((long) generations[rank] * objects + rank);
    }

    @Override
    public void answered(long operation, Reply.Outcome outcome) {
        if (Operation.kind(operation) != Operation.Kind.GET) {
            return;
        }
        boolean counts = ++answered > counted;
        if (outcome == Reply.Outcome.HIT) {
            hits += counts ? 1 : 0;
        } else if (outcome == Reply.Outcome.MISS) {
            misses += counts ? 1 : 0;
            missing.add(Operation.key(operation));
        }
    }

    /** Hits as a share of the gets that count. */
    public double hitRatio() {
        return (double) hits / Math.max(1, hits + misses);
    }
}
