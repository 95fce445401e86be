package dev.granary.tools.bench.redis;

import dev.granary.bench.redis.Churn;
import dev.granary.bench.redis.ListedRequests;
import dev.granary.bench.redis.Operation;
import dev.granary.bench.redis.RandomRequests;
import dev.granary.bench.redis.Values;
import dev.granary.bench.redis.WrongAnswerException;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.redis.Subject.Measured;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of all stores, side by side: all are loaded and stay, and for each measurement they take turns. A
 * store that fails is left out from then on.
 */
final class RedisExperiment {

    /** The stores take turns so often in each measurement of speed, so that a busy moment of the machine meets all. */
    private static final int ROUNDS = 3;

    /** Requests that are on their way at a time while keys are loaded. */
    private static final int LOAD_PIPELINE = 32;

    private static final long SEED = 20261126;

    private final RedisPlan plan;
    private final Stores stores;
    private final Consumer<Line> results;
    private final Consumer<String> notes;
    private final Values values;
    private final Map<Subject, MemoryFigures> before = new HashMap<>();
    private long seed = SEED;

    RedisExperiment(RedisPlan plan, Stores stores, Consumer<Line> results, Consumer<String> notes) {
        this.plan = plan;
        this.stores = stores;
        this.results = results;
        this.notes = notes;
        values = new Values(plan.leastValueBytes(), plan.mostValueBytes());
    }

    void run() throws InterruptedException {
        List<Subject> subjects = new ArrayList<>();
        try {
            startAll(subjects);
            each(subjects, "warm-up", this::warmUp);
            each(subjects, "load", this::load);
            if (plan.cases().contains(RedisPlan.SPEED)) {
                for (int pipeline : plan.pipelines()) {
                    notes.accept("gets and sets with pipelines of " + pipeline);
                    speeds(subjects, pipeline);
                }
            }
            if (plan.cases().contains(RedisPlan.MEMORY)) {
                each(subjects, "churn", this::churn);
            }
        } finally {
            subjects.forEach(Subject::close);
        }
    }

    private void startAll(List<Subject> subjects) throws InterruptedException {
        for (String name : plan.stores()) {
            StoreKind kind = StoreKind.of(name).orElseThrow();
            if (kind != StoreKind.GRANARY && kind.executable().isEmpty()) {
                results.accept(new Line("missing", kind, 1, plan).with(Line.REMARK, kind.missing()));
                continue;
            }
            for (int copies : kind == StoreKind.GRANARY ? plan.copies() : List.of(1)) {
                try {
                    Subject subject = Subject.of(stores.start(kind, copies), plan);
                    subjects.add(subject);
                    notes.accept(subject.store().name() + " " + subject.store().version() + " runs");
                } catch (IOException | UserException e) {
                    results.accept(failed(kind, copies, "start", e));
                }
            }
        }
    }

    private Line failed(StoreKind kind, int copies, String what, Exception e) {
        return new Line("failed", kind, copies, plan).with(Line.REMARK, what + ": " + e.getMessage());
    }

    /** Something that is done with one store. */
    private interface Step {
        void with(Subject subject) throws IOException, InterruptedException;
    }

    private void each(List<Subject> subjects, String what, Step step) throws InterruptedException {
        for (Subject subject : List.copyOf(subjects)) {
            notes.accept(what + ": " + subject.store().name());
            attempt(subjects, subject, what, step);
        }
    }

    private void attempt(List<Subject> subjects, Subject subject, String what, Step step) throws InterruptedException {
        try {
            step.with(subject);
        } catch (IOException | UserException | WrongAnswerException e) {
            results.accept(failed(subject.store().kind(), subject.store().copies(), what, e));
            subjects.remove(subject);
            subject.close();
        }
    }

    private Line line(String name, Subject subject) throws IOException {
        return new Line(name, subject.store().kind(), subject.store().copies(), plan)
                .with("version", subject.store().version());
    }

    // Memory.

    /** Sends so much that compilers and buffers are where they will be, with few keys. */
    private void warmUp(Subject subject) throws IOException, InterruptedException {
        subject.runWhole(sets(0, plan.warmKeys()), LOAD_PIPELINE);
        long nanos = plan.measuredNanos() / 2;
        for (int pipeline : List.of(1, Collections.max(plan.pipelines()))) {
            subject.run(RandomRequests.gets(plan.warmKeys(), seed++), pipeline, nanos);
            subject.run(RandomRequests.sets(plan.warmKeys(), seed++), pipeline, nanos);
        }
        before.put(
                subject,
                MemoryFigures.of(
                        subject.store(), plan.warmKeys(), bytesOfFirst(plan.warmKeys()), plan.settleSeconds()));
    }

    private static ListedRequests sets(long from, long end) {
        return new ListedRequests(end - from, number -> Operation.set(from + number, 0));
    }

    private long bytesOfFirst(long keys) {
        long bytes = keys * plan.keyBytes();
        for (long key = 0; key < keys; key++) {
            bytes += values.size(key, 0);
        }
        return bytes;
    }

    private void load(Subject subject) throws IOException, InterruptedException {
        Measured measured = subject.runWhole(sets(plan.warmKeys(), plan.keys()), LOAD_PIPELINE);
        results.accept(memory("load", subject, bytesOfFirst(plan.keys()))
                .with("loadSetsPerSecond", measured.result().perSecond()));
    }

    private void churn(Subject subject) throws IOException, InterruptedException {
        Churn churn = new Churn(plan.keys());
        for (int round = 1; round <= Churn.ROUNDS; round++) {
            subject.runWhole(churn.round(round), LOAD_PIPELINE);
        }
        long dataBytes = plan.keys() * plan.keyBytes() + churn.valueBytes(values);
        results.accept(memory("churn", subject, dataBytes));
    }

    private Line memory(String name, Subject subject, long dataBytes) throws IOException, InterruptedException {
        MemoryFigures empty = Objects.requireNonNull(before.get(subject));
        MemoryFigures now = MemoryFigures.of(subject.store(), plan.keys(), dataBytes, plan.settleSeconds());
        return line(name, subject)
                .with(Line.BESIDE, now.besideSince(empty))
                .with(Line.OWN_BESIDE, now.ownBesideSince(empty))
                .with("dataBytes", dataBytes)
                .with("residentBytes", now.residentBytes())
                .with("residentBytesBefore", empty.residentBytes())
                .with("ownBytes", now.ownBytes())
                .with("ownBytesBefore", empty.ownBytes())
                .with("superPeerResidentBytes", superPeer(subject, now.otherResidentBytes()));
    }

    private static @Nullable Object superPeer(Subject subject, Object value) {
        return subject.store().others().isEmpty() ? null : value;
    }

    // Speed.

    private void speeds(List<Subject> subjects, int pipeline) throws InterruptedException {
        Map<Subject, Measured> gets = new HashMap<>();
        Map<Subject, Measured> sets = new HashMap<>();
        long nanos = plan.measuredNanos() / ROUNDS;
        String what = "gets and sets with pipelines of " + pipeline;
        for (int round = 0; round < ROUNDS; round++) {
            for (Subject subject : List.copyOf(subjects)) {
                attempt(subjects, subject, what, store -> {
                    Measured get = store.run(RandomRequests.gets(plan.keys(), seed++), pipeline, nanos);
                    gets.merge(store, get, Measured::plus);
                    Measured set = store.run(RandomRequests.sets(plan.keys(), seed++), pipeline, nanos);
                    sets.merge(store, set, Measured::plus);
                });
            }
        }
        for (Subject subject : List.copyOf(subjects)) {
            Measured get = Objects.requireNonNull(gets.get(subject));
            Measured set = Objects.requireNonNull(sets.get(subject));
            attempt(subjects, subject, what, store -> results.accept(speed(store, pipeline, get, set)));
        }
    }

    private Line speed(Subject subject, int pipeline, Measured gets, Measured sets) throws IOException {
        int inFlight = pipeline * plan.connections();
        long errors = gets.result().errors() + sets.result().errors();
        String firstError = gets.result().plus(sets.result()).firstError();
        return line("speed", subject)
                .with(Line.PIPELINE, pipeline)
                .with(Line.GETS, gets.result().perSecond())
                .with(Line.SETS, sets.result().perSecond())
                .with(Line.GET_CPU, gets.serverNanosEach())
                .with(Line.SET_CPU, sets.serverNanosEach())
                .with(Line.P50, gets.result().micros(50))
                .with(Line.P99, gets.result().micros(99))
                .with("p99CorrectedMicros", gets.result().correctedMicros(99, inFlight))
                .with("setP50Micros", sets.result().micros(50))
                .with("setP99Micros", sets.result().micros(99))
                .with("setP99CorrectedMicros", sets.result().correctedMicros(99, inFlight))
                .with("superPeerCpuNanosPerGet", superPeer(subject, gets.otherNanosEach()))
                .with("superPeerCpuNanosPerSet", superPeer(subject, sets.otherNanosEach()))
                .with("driverCpuNanosPerGet", gets.driverNanosEach())
                .with("driverCpuNanosPerSet", sets.driverNanosEach())
                .with("misses", gets.result().misses())
                .with("errors", errors)
                .with(Line.REMARK, errors == 0 ? null : "the first error: " + firstError);
    }
}
