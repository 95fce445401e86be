package dev.granary.process;

import dev.granary.env.Loops;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;

/** Failures and delays of a node's loops, computed at each scrape. */
public final class LoopMetrics extends Collector {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final List<String> LABELS = List.of("loop");

    private final Loops loops;

    private LoopMetrics(Loops loops) {
        this.loops = loops;
    }

    /** Shows the loops of one node. */
    public static void register(CollectorRegistry registry, Loops loops) {
        new LoopMetrics(loops).register(registry);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        CounterMetricFamily failures = new CounterMetricFamily(
                "granary_loop_failures_total", "Rounds of repeated work that threw or had no answer in time.", LABELS);
        loops.failures().forEach((name, count) -> failures.addMetric(List.of(name), count));
        GaugeMetricFamily overdue = new GaugeMetricFamily(
                "granary_loop_overdue_seconds",
                "For how long a round of repeated work should have ended well.",
                LABELS);
        loops.overdueNanos().forEach((name, nanos) -> overdue.addMetric(List.of(name), nanos / NANOS_PER_SECOND));
        return List.of(failures, overdue);
    }
}
