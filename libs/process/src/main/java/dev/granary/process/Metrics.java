package dev.granary.process;

import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.hotspot.DefaultExports;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
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

    /** A counter that is added to without a look at the registry, and read at each scrape. */
    public static LongAdder counter(CollectorRegistry registry, String name, String help) {
        LongAdder counter = new LongAdder();
        counter(registry, name, help, counter::sum);
        return counter;
    }

    /** A counter that somebody else keeps, asked for at each scrape. The supplier is called by an HTTP thread. */
    public static void counter(CollectorRegistry registry, String name, String help, LongSupplier value) {
        register(registry, () -> new CounterMetricFamily(name, help, (double) value.getAsLong()));
    }

    /** Registers a family that an HTTP thread computes at each scrape. */
    public static void register(CollectorRegistry registry, Supplier<? extends MetricFamilySamples> family) {
        new Collector() {
            @Override
            public List<MetricFamilySamples> collect() {
                return List.of(family.get());
            }
        }.register(registry);
    }
}
