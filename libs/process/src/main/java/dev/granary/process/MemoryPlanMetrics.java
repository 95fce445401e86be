package dev.granary.process;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/** The shares of a process's memory plan and what is used of them, computed at each scrape. */
public final class MemoryPlanMetrics extends Collector {

    private static final List<String> LABELS = List.of("area", "share");

    private final MemoryPlan plan;
    private final Supplier<Map<String, Long>> usedBytes;

    private MemoryPlanMetrics(MemoryPlan plan, Supplier<Map<String, Long>> usedBytes) {
        this.plan = plan;
        this.usedBytes = usedBytes;
    }

    /**
     * Registers the gauges of a plan.
     *
     * @param usedBytes by the names of the shares; called by any thread
     */
    public static void register(CollectorRegistry registry, MemoryPlan plan, Supplier<Map<String, Long>> usedBytes) {
        new MemoryPlanMetrics(plan, usedBytes).register(registry);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        GaugeMetricFamily limits = new GaugeMetricFamily(
                "granary_memory_plan_limit_bytes", "What a share of the memory plan may take.", LABELS);
        GaugeMetricFamily used = new GaugeMetricFamily(
                "granary_memory_plan_used_bytes", "What a share of the memory plan takes now.", LABELS);
        Map<String, Long> present = usedBytes.get();
        for (MemoryPlan.Share share : plan.shares()) {
            List<String> labels = List.of(share.area().name().toLowerCase(Locale.ROOT), share.name());
            limits.addMetric(labels, (double) share.limitBytes());
            Long bytes = present.get(share.name());
            if (bytes != null) {
                used.addMetric(labels, (double) bytes);
            }
        }
        return List.of(limits, used);
    }
}
