package dev.granary.tools.bench.redis;

import dev.granary.bench.redis.CacheRequests;
import dev.granary.bench.redis.KeyNames;
import dev.granary.bench.redis.Values;
import dev.granary.bench.redis.WrongAnswerException;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Hit ratios of the stores as caches of equal memory, each started anew. What they are asked is what is published of
 * Twitter's caches: keys of 21 B with values of 68 B, popularity by Zipf's law; a fifth of the objects is replaced
 * while it is measured.
 */
final class HitRatios {

    /**
     * The exponents. With higher ones, such as 1.49, all objects that are asked for more than once fit, and every store
     * has the same ratio.
     */
    static final List<Double> SKEWS = List.of(0.8, 0.99);

    private static final int KEY_BYTES = 21;
    private static final int VALUE_BYTES = 68;
    private static final long LEAST_OBJECTS = 400_000;
    private static final long MOST_OBJECTS = 2_000_000;
    private static final int GETS_OF_EACH_OBJECT = 4;

    /**
     * The memory of the cache is this share of the bytes of all keys and values. With the fewest objects that is little
     * more than the 8 MiB below which memcached takes no limit.
     */
    private static final double MEMORY_SHARE = 0.25;

    /** Few, because some stores count the buffers of connections as memory of the cache. */
    private static final int CONNECTIONS = 4;

    private static final int PIPELINE = 16;
    private static final long SEED = 20261126;

    private final RedisPlan plan;
    private final Stores stores;
    private final Consumer<Line> results;
    private final Consumer<String> notes;

    HitRatios(RedisPlan plan, Stores stores, Consumer<Line> results, Consumer<String> notes) {
        this.plan = plan;
        this.stores = stores;
        this.results = results;
        this.notes = notes;
    }

    void run() throws InterruptedException {
        for (double skew : SKEWS) {
            for (String name : plan.stores()) {
                StoreKind kind = StoreKind.of(name).orElseThrow();
                if (kind == StoreKind.GRANARY || kind.executable().isPresent()) {
                    notes.accept("hit ratio with a skew of " + skew + ": " + kind);
                    try {
                        measure(kind, skew);
                    } catch (IOException | UserException | WrongAnswerException e) {
                        results.accept(
                                new Line("failed", kind, 1, plan).with(Line.REMARK, "hit ratio: " + e.getMessage()));
                    }
                }
            }
        }
    }

    private void measure(StoreKind kind, double skew) throws IOException, InterruptedException {
        long objects = Math.clamp(plan.keys(), LEAST_OBJECTS, MOST_OBJECTS);
        long budgetBytes = (long) (objects * (KEY_BYTES + VALUE_BYTES) * MEMORY_SHARE);
        Values values = new Values(VALUE_BYTES, VALUE_BYTES);
        try (Subject subject =
                Subject.of(stores.start(kind, 1), CONNECTIONS, 0, KeyNames.mixed(KEY_BYTES), values, true)) {
            MeasuredStore store = subject.store();
            Line line = new Line("hit-ratio", kind, 1, plan)
                    .with("version", store.version())
                    .with(Line.KEYS, objects)
                    .with(Line.KEY_BYTES, KEY_BYTES)
                    .with(Line.VALUE_BYTES, VALUE_BYTES)
                    .with("valueBytesRange", Integer.toString(VALUE_BYTES))
                    .with("expirySeconds", null)
                    .with("connections", CONNECTIONS)
                    .with(Line.PIPELINE, PIPELINE)
                    .with("skew", skew)
                    .with("memoryBytes", budgetBytes);
            long emptyBytes = store.ownBytes();
            try {
                store.limitMemory(emptyBytes + budgetBytes);
            } catch (RefusedException e) {
                results.accept(line.with(Line.REMARK, "does not take a limit of memory: " + e.getMessage()));
                return;
            }
            CacheRequests requests = new CacheRequests((int) objects, skew, objects * GETS_OF_EACH_OBJECT, SEED);
            Subject.Measured measured = subject.runAll(requests, PIPELINE);
            results.accept(line.with(Line.HIT_RATIO, requests.hitRatio())
                    .with("ownBytes", store.ownBytes() - emptyBytes)
                    .with("errors", measured.result().errors())
                    .with(
                            Line.REMARK,
                            measured.result().errors() == 0
                                    ? null
                                    : "the first error: " + measured.result().firstError()));
        }
    }
}
