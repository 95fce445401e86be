package dev.granary.tools.bench.redis;

import dev.granary.bench.redis.KeyNames;
import dev.granary.bench.redis.ListedRequests;
import dev.granary.bench.redis.Operation;
import dev.granary.bench.redis.RandomRequests;
import dev.granary.bench.redis.Values;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.redis.Subject.Measured;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** Measures the driver beside redis-benchmark, both with the same keys of the same redis-server, in turn. */
final class DriverCheck {

    private static final int ROUNDS = 2;
    private static final int LOAD_PIPELINE = 32;

    /** What redis-benchmark writes behind its numbers is 12 digits long, but a million keys are enough here. */
    private static final long MOST_KEYS = 1_000_000;

    private static final long SEED = 7;

    private final RedisPlan plan;
    private final Stores stores;
    private final Consumer<Line> results;
    private final Consumer<String> notes;
    private final long keys;
    private final int valueBytes;

    DriverCheck(RedisPlan plan, Stores stores, Consumer<Line> results, Consumer<String> notes) {
        this.plan = plan;
        this.stores = stores;
        this.results = results;
        this.notes = notes;
        keys = Math.min(plan.keys(), MOST_KEYS);
        valueBytes = (int) plan.meanValueBytes();
    }

    void run() throws InterruptedException {
        Optional<Path> benchmark = StoreKind.executable("REDIS_BENCHMARK", "redis-benchmark");
        if (StoreKind.REDIS.executable().isEmpty() || benchmark.isEmpty()) {
            String why = "the driver is not checked: there is no redis-server or no redis-benchmark";
            results.accept(new Line("missing", StoreKind.REDIS, 1, plan).with(Line.REMARK, why));
            return;
        }
        try {
            measure(benchmark.get());
        } catch (IOException | UserException e) {
            results.accept(new Line("failed", StoreKind.REDIS, 1, plan)
                    .with(Line.REMARK, "check of the driver: " + e.getMessage()));
        }
    }

    private void measure(Path benchmark) throws IOException, InterruptedException {
        // redis-benchmark's values tell no keys, so values are not compared.
        try (Subject subject = Subject.of(
                stores.start(StoreKind.REDIS, 1),
                plan.connections(),
                0,
                KeyNames.counted(),
                new Values(valueBytes, valueBytes),
                false)) {
            subject.runAll(new ListedRequests(keys, key -> Operation.set(key, 0)), LOAD_PIPELINE);
            RedisBenchmark other = new RedisBenchmark(benchmark, subject.store(), plan.connections(), keys, valueBytes);
            for (int pipeline : plan.pipelines()) {
                notes.accept("the driver beside redis-benchmark with pipelines of " + pipeline);
                results.accept(compare(subject, other, pipeline));
            }
        }
    }

    private Line compare(Subject subject, RedisBenchmark other, int pipeline) throws IOException, InterruptedException {
        long nanos = plan.measuredNanos() / ROUNDS;
        Measured warm = subject.run(RandomRequests.gets(keys, SEED), pipeline, nanos);
        long requests = Math.max(
                (long) pipeline * plan.connections(), (long) (warm.result().perSecond() * nanos / 1e9));
        Measured gets = subject.run(RandomRequests.gets(keys, SEED + 1), pipeline, nanos);
        RedisBenchmark.Found otherGets = other.run("get", pipeline, requests);
        Measured sets = subject.run(RandomRequests.sets(keys, SEED + 2), pipeline, nanos);
        RedisBenchmark.Found otherSets = other.run("set", pipeline, requests);
        for (int round = 1; round < ROUNDS; round++) {
            otherGets = otherGets.plus(other.run("get", pipeline, requests));
            gets = gets.plus(subject.run(RandomRequests.gets(keys, SEED + 3L * round), pipeline, nanos));
            otherSets = otherSets.plus(other.run("set", pipeline, requests));
            sets = sets.plus(subject.run(RandomRequests.sets(keys, SEED + 4L * round), pipeline, nanos));
        }
        return new Line("driver-check", StoreKind.REDIS, 1, plan)
                .with("version", subject.store().version())
                .with(Line.KEYS, keys)
                .with(Line.KEY_BYTES, KeyNames.counted().bytes())
                .with(Line.VALUE_BYTES, valueBytes)
                .with("valueBytesRange", Integer.toString(valueBytes))
                .with("expirySeconds", null)
                .with(Line.PIPELINE, pipeline)
                .with(Line.GETS, gets.result().perSecond())
                .with(Line.SETS, sets.result().perSecond())
                .with(Line.GET_CPU, gets.serverNanosEach())
                .with(Line.SET_CPU, sets.serverNanosEach())
                .with(Line.P50, gets.result().micros(50))
                .with(Line.P99, gets.result().micros(99))
                .with(Line.GETS_BY_OTHER, gets.result().perSecond() / otherGets.perSecond())
                .with(Line.SETS_BY_OTHER, sets.result().perSecond() / otherSets.perSecond())
                .with("redisBenchmarkGetsPerSecond", otherGets.perSecond())
                .with("redisBenchmarkSetsPerSecond", otherSets.perSecond())
                .with(Line.OTHER_GET_CPU, otherGets.serverNanosEach())
                .with(Line.OTHER_SET_CPU, otherSets.serverNanosEach())
                .with("redisBenchmarkP50Micros", otherGets.p50Micros())
                .with("redisBenchmarkP99Micros", otherGets.p99Micros());
    }
}
