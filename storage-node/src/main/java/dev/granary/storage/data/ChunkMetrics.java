package dev.granary.storage.data;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Counts chunks and times requests. Thread-safe. */
public final class ChunkMetrics {

    private static final double NANOS_PER_SECOND = 1e9;

    /** From 1 microsecond to 4 seconds, each bound four times the one before. */
    private static final int BUCKETS = 12;

    private final Map<Operation, Recorder> recorders = new EnumMap<>(Operation.class);

    /** What is recorded of one operation. */
    private record Recorder(Histogram.Child seconds, Map<Outcome, Counter.Child> chunks) {

        Counter.Child counter(Outcome outcome) {
            return Objects.requireNonNull(chunks.get(outcome));
        }
    }

    public ChunkMetrics(CollectorRegistry registry) {
        Counter chunks = Counter.build(
                        "granary_storage_operations_total", "Chunks of requests, by what became of them.")
                .labelNames("operation", "outcome")
                .register(registry);
        Histogram seconds = Histogram.build(
                        "granary_storage_request_seconds", "Time from the arrival of a request to its reply.")
                .labelNames("operation")
                .exponentialBuckets(1e-6, 4, BUCKETS)
                .register(registry);
        for (Operation operation : Operation.values()) {
            Map<Outcome, Counter.Child> byOutcome = new EnumMap<>(Outcome.class);
            for (Outcome outcome : Outcome.values()) {
                byOutcome.put(outcome, chunks.labels(operation.label, outcome.label));
            }
            recorders.put(operation, new Recorder(seconds.labels(operation.label), byOutcome));
        }
    }

    void count(Operation operation, Outcome outcome, int chunkCount) {
        if (chunkCount > 0) {
            recorder(operation).counter(outcome).inc(chunkCount);
        }
    }

    void time(Operation operation, long nanos) {
        recorder(operation).seconds.observe(nanos / NANOS_PER_SECOND);
    }

    private Recorder recorder(Operation operation) {
        return Objects.requireNonNull(recorders.get(operation));
    }
}
