package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is exposed of chunks and requests, beside what the classes of the library expose. */
class ChunkMetricsTest {

    private final CollectorRegistry ours = new CollectorRegistry();
    private final CollectorRegistry theirs = new CollectorRegistry();

    @Test
    void metrics_allOperationsAndOutcomes_areExposedAsByTheLibrary() throws IOException {
        ChunkMetrics metrics = new ChunkMetrics(ours);
        Counter chunks = Counter.build(
                        "granary_storage_operations_total", "Chunks of requests, by what became of them.")
                .labelNames("operation", "outcome")
                .register(theirs);
        Histogram seconds = Histogram.build(
                        "granary_storage_request_seconds", "Time from the arrival of a request to its reply.")
                .labelNames("operation")
                .exponentialBuckets(1e-6, 4, 12)
                .register(theirs);
        int count = 0;
        long nanos = 100;
        for (Operation operation : Operation.values()) {
            for (Outcome outcome : Outcome.values()) {
                count++;
                metrics.count(operation, outcome, count);
                metrics.count(operation, outcome, 0);
                chunks.labels(operation.label, outcome.label).inc(count);
            }
            nanos *= 100;
            metrics.time(operation, nanos);
            seconds.labels(operation.label).observe(nanos / 1e9);
        }
        assertThat(lines(ours)).isEqualTo(lines(theirs)).hasSizeGreaterThan(80);
    }

    /** In any order, and without the times of creation, which nobody asked for. */
    private static Set<String> lines(CollectorRegistry registry) throws IOException {
        StringWriter text = new StringWriter();
        TextFormat.write004(text, registry.metricFamilySamples());
        return text.toString()
                .lines()
                .filter(line -> !line.contains("_created"))
                .collect(Collectors.toSet());
    }
}
