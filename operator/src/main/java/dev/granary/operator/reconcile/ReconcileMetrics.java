package dev.granary.operator.reconcile;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.operator.steer.Stop;
import io.fabric8.kubernetes.api.model.Condition;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import io.prometheus.client.Histogram;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The operator's metrics. The series of a resource end with the resource, so an alert on an old success never fires for
 * a deleted cluster. Thread-safe.
 */
public final class ReconcileMetrics extends Collector {
    private static final List<String> RESOURCE_LABELS = List.of("namespace", "name");
    private static final List<String> STATUSES = List.of("True", "False", "Unknown");

    private record Id(String namespace, String name) {}

    private static final class Counts {
        final AtomicLong ok = new AtomicLong();
        final AtomicLong errors = new AtomicLong();
        final AtomicLong lastSuccessMillis = new AtomicLong();
    }

    private final InstantSource clock;
    private final Map<Id, Counts> counts = new ConcurrentHashMap<>();
    private final AtomicBoolean leader = new AtomicBoolean();
    private final Histogram seconds;
    private volatile Supplier<Stream<Granary>> resources = Stream::empty;

    /** Makes the metrics and adds them to a registry. */
    public ReconcileMetrics(CollectorRegistry registry, InstantSource clock) {
        this.clock = clock;
        this.seconds = Histogram.build(
                        "granary_operator_reconcile_seconds", "Time that one reconcile of one resource took.")
                .buckets(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
                .register(registry);
        register(registry);
    }

    /** Sets where the watched resources come from. */
    void watch(Supplier<Stream<Granary>> source) {
        resources = source;
    }

    /** Notes whether this process leads. */
    public void leading(boolean leads) {
        leader.set(leads);
    }

    /** Whether this process leads. */
    public boolean isLeading() {
        return leader.get();
    }

    /** Returns the number of watched resources. */
    public long resourceCount() {
        return resources.get().count();
    }

    /** Runs one reconcile, counts it, and returns its result. */
    <T> T time(Granary granary, Supplier<T> work) {
        Counts of = counts.computeIfAbsent(id(granary), _ -> new Counts());
        boolean ok = false;
        try (Histogram.Timer timer = seconds.startTimer()) {
            T result = work.get();
            ok = true;
            return result;
        } finally {
            if (ok) {
                of.lastSuccessMillis.set(clock.millis());
                of.ok.incrementAndGet();
            } else {
                of.errors.incrementAndGet();
            }
        }
    }

    @Override
    public List<MetricFamilySamples> collect() {
        counts.keySet().retainAll(resources.get().map(ReconcileMetrics::id).collect(Collectors.toSet()));
        CounterMetricFamily reconciles = new CounterMetricFamily(
                "granary_operator_reconciles", "Reconciles of a resource.", List.of("namespace", "name", "outcome"));
        GaugeMetricFamily success = new GaugeMetricFamily(
                "granary_operator_last_success_timestamp_seconds",
                "When a resource was last reconciled without an error.",
                RESOURCE_LABELS);
        GaugeMetricFamily conditions = new GaugeMetricFamily(
                "granary_operator_condition",
                "1 for the status that a condition of a resource has, 0 for the two that it has not.",
                List.of("namespace", "name", "type", "status"));
        GaugeMetricFamily rolledBack = new GaugeMetricFamily(
                "granary_operator_update_rolled_back",
                "1 while the pods of a resource are back at the template that they had before an update.",
                RESOURCE_LABELS);
        GaugeMetricFamily blocked = new GaugeMetricFamily(
                "granary_operator_stops_blocked",
                "Pods of a resource that are to go or to be replaced and cannot without a person's help.",
                RESOURCE_LABELS);
        resources.get().forEach(granary -> {
            addConditions(granary, conditions);
            addTroubles(granary, rolledBack, blocked);
        });
        counts.forEach((id, of) -> {
            reconciles.addMetric(List.of(id.namespace(), id.name(), "ok"), (double) of.ok.get());
            reconciles.addMetric(List.of(id.namespace(), id.name(), "error"), (double) of.errors.get());
            if (of.lastSuccessMillis.get() > 0) {
                success.addMetric(List.of(id.namespace(), id.name()), of.lastSuccessMillis.get() / 1000.0);
            }
        });
        return List.of(
                reconciles,
                success,
                conditions,
                rolledBack,
                blocked,
                new GaugeMetricFamily(
                        "granary_operator_resources", "Granary resources that are watched.", resourceCount()),
                new GaugeMetricFamily(
                        "granary_operator_leader",
                        "1 when this process leads and acts, 0 when it stands by.",
                        leader.get() ? 1 : 0));
    }

    private static void addConditions(Granary granary, GaugeMetricFamily conditions) {
        if (granary.getStatus() == null || granary.getStatus().conditions() == null) {
            return;
        }
        Id id = id(granary);
        for (Condition each : granary.getStatus().conditions()) {
            for (String status : STATUSES) {
                conditions.addMetric(
                        List.of(id.namespace(), id.name(), each.getType(), status),
                        status.equals(each.getStatus()) ? 1 : 0);
            }
        }
    }

    private static void addTroubles(Granary granary, GaugeMetricFamily rolledBack, GaugeMetricFamily blocked) {
        GranaryStatus status = granary.getStatus();
        if (status == null) {
            return;
        }
        List<String> labels = List.of(
                granary.getMetadata().getNamespace(), granary.getMetadata().getName());
        boolean back = status.conditions() != null
                && status.conditions().stream().anyMatch(each -> "UpdateRolledBack".equals(each.getReason()));
        rolledBack.addMetric(labels, back ? 1 : 0);
        long stuck = status.stops() == null
                ? 0
                : status.stops().stream()
                        .filter(stop -> Stop.Phase.BLOCKED.text().equals(stop.phase()))
                        .count();
        blocked.addMetric(labels, (double) stuck);
    }

    private static Id id(Granary granary) {
        return new Id(
                granary.getMetadata().getNamespace(), granary.getMetadata().getName());
    }
}
