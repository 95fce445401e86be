package dev.granary.process;

import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.hotspot.DefaultExports;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** Helpers for Prometheus metrics. Every process has a registry of its own; the library's static one is not used. */
public final class Metrics {

    private Metrics() {}

    /** A registry that already holds the metrics of the JVM. */
    public static CollectorRegistry newRegistryWithJvm() {
        CollectorRegistry registry = new CollectorRegistry();
        DefaultExports.register(registry);
        return registry;
    }

    /** A gauge whose value is asked for at each scrape. The supplier is called by an HTTP thread. */
    public static void gauge(CollectorRegistry registry, String name, String help, DoubleSupplier value) {
        register(registry, () -> new GaugeMetricFamily(name, help, value.getAsDouble()));
    }

    /** A gauge that is always 1 and carries facts as labels, asked for at each scrape. */
    public static void info(
            CollectorRegistry registry, String name, String help, Supplier<Map<String, String>> labels) {
        register(registry, () -> {
            Map<String, String> facts = labels.get();
            return new GaugeMetricFamily(name, help, List.copyOf(facts.keySet()))
                    .addMetric(List.copyOf(facts.values()), 1);
        });
    }

    /** Registers a family of gauges that an HTTP thread computes at each scrape. */
    public static void register(CollectorRegistry registry, Supplier<GaugeMetricFamily> family) {
        new Collector() {
            @Override
            public List<MetricFamilySamples> collect() {
                return List.of(family.get());
            }
        }.register(registry);
    }
}
