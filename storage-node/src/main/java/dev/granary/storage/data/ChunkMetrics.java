package dev.granary.storage.data;

import dev.granary.process.DurationHistogram;
import dev.granary.process.EnumCounters;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Counts chunks and times requests, in counters that each scrape reads. Thread-safe. */
public final class ChunkMetrics extends Collector {

    private static final String SECONDS = "granary_storage_request_seconds";
    private static final List<String> OPERATION = List.of("operation");

    /** From 1 microsecond to 4 seconds. */
    private static final long FIRST_NANOS = 1_000;

    private static final int BOUNDS = 12;

    private final Map<Operation, Recorder> recorders = new EnumMap<>(Operation.class);

    /** What is recorded of one operation. */
    private record Recorder(DurationHistogram seconds, EnumCounters<Outcome> chunks) {}

    /** Registers the metrics. */
    public ChunkMetrics(CollectorRegistry registry) {
        for (Operation operation : Operation.values()) {
            DurationHistogram seconds = new DurationHistogram(FIRST_NANOS, BOUNDS);
            recorders.put(operation, new Recorder(seconds, new EnumCounters<>(Outcome.class)));
        }
        register(registry);
    }

    void count(Operation operation, Outcome outcome, int chunkCount) {
        if (chunkCount > 0) {
            recorder(operation).chunks.add(outcome, chunkCount);
        }
    }

    void time(Operation operation, long nanos) {
        recorder(operation).seconds.record(nanos);
    }

    private Recorder recorder(Operation operation) {
        return Objects.requireNonNull(recorders.get(operation));
    }

    @Override
    public List<MetricFamilySamples> collect() {
        CounterMetricFamily chunks = new CounterMetricFamily(
                "granary_storage_operations",
                "Chunks of requests, by what became of them.",
                List.of("operation", "outcome"));
        List<MetricFamilySamples.Sample> times = new ArrayList<>();
        recorders.forEach((operation, recorder) -> {
            recorder.chunks.addTo(chunks, operation.label);
            times.addAll(recorder.seconds.samples(SECONDS, OPERATION, List.of(operation.label)));
        });
        return List.of(
                chunks,
                new MetricFamilySamples(
                        SECONDS, Type.HISTOGRAM, "Time from the arrival of a request to its reply.", times));
    }
}
