package dev.granary.process;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What a node has denied those who call it because of who they are, read at each scrape. */
public final class AccessMetrics extends Collector {

    private final Supplier<Map<String, Long>> denied;

    private AccessMetrics(Supplier<Map<String, Long>> denied) {
        this.denied = denied;
    }

    /**
     * Registers the metric.
     *
     * @param denied how much was denied since the start, by reason; called by any thread
     */
    public static void register(CollectorRegistry registry, Supplier<Map<String, Long>> denied) {
        new AccessMetrics(denied).register(registry);
    }

    @Override
    public List<MetricFamilySamples> collect() {
        CounterMetricFamily family = new CounterMetricFamily(
                "granary_requests_denied",
                "Requests that were refused because the caller's role may not send them (role), because they belong to"
                        + " another port (port), or because its user may not (user, with logins), and callers that were refused because they did not prove that they"
                        + " have the cluster's secret (proof).",
                List.of("reason"));
        denied.get().forEach((reason, count) -> family.addMetric(List.of(reason), (double) count));
        return List.of(family);
    }
}
