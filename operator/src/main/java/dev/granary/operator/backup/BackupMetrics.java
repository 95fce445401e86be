package dev.granary.operator.backup;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of backups, restores and schedules. The series of a resource end with the resource. Thread-safe.
 */
public final class BackupMetrics extends Collector {
    private record Id(String kind, String namespace, String name) {
        static Id of(HasMetadata resource) {
            return new Id(
                    resource.getKind(),
                    resource.getMetadata().getNamespace(),
                    resource.getMetadata().getName());
        }

        List<String> labels(String... more) {
            return Stream.concat(Stream.of(kind, namespace, name), Stream.of(more))
                    .toList();
        }
    }

    private static final class Counts {
        final AtomicLong ok = new AtomicLong();
        final AtomicLong errors = new AtomicLong();
    }

    /**
     * What the metrics tell of a watched resource.
     *
     * @param last its last backup, {@code null} for a resource that is no schedule, and before the first
     */
    record Seen(
            HasMetadata resource,
            @Nullable List<Condition> conditions,
            @Nullable LastBackup last) {}

    /**
     * The last backup of a schedule.
     *
     * @param granary whose backup it is
     * @param finished when it was finished
     */
    record LastBackup(String granary, String finished) {}

    private final Map<Id, Counts> counts = new ConcurrentHashMap<>();
    private final Map<String, Supplier<Stream<Seen>>> sources = new ConcurrentHashMap<>();

    /** Makes the metrics and adds them to a registry. */
    public BackupMetrics(CollectorRegistry registry) {
        register(registry);
    }

    /** Sets where the watched resources of a kind come from. */
    void watch(String kind, Supplier<Stream<Seen>> source) {
        sources.put(kind, source);
    }

    /** Runs one reconcile, counts it, and returns its result. */
    <T> T count(HasMetadata resource, Supplier<T> work) {
        Counts of = counts.computeIfAbsent(Id.of(resource), _ -> new Counts());
        boolean ok = false;
        try {
            T result = work.get();
            ok = true;
            return result;
        } finally {
            (ok ? of.ok : of.errors).incrementAndGet();
        }
    }

    @Override
    public List<MetricFamilySamples> collect() {
        List<Seen> all = sources.values().stream().flatMap(Supplier::get).toList();
        Set<Id> present = all.stream().map(seen -> Id.of(seen.resource())).collect(Collectors.toSet());
        counts.keySet().retainAll(present);
        CounterMetricFamily reconciles = new CounterMetricFamily(
                "granary_operator_backup_reconciles",
                "Reconciles of a backup, restore or schedule.",
                List.of("kind", "namespace", "name", "outcome"));
        counts.forEach((id, of) -> {
            reconciles.addMetric(id.labels("ok"), (double) of.ok.get());
            reconciles.addMetric(id.labels("error"), (double) of.errors.get());
        });
        GaugeMetricFamily conditions = new GaugeMetricFamily(
                "granary_operator_backup_condition",
                "1 while a condition of a backup, restore or schedule is True, otherwise 0; none while a schedule is"
                        + " suspended.",
                List.of("kind", "namespace", "name", "type"));
        GaugeMetricFamily success = new GaugeMetricFamily(
                "granary_operator_backup_last_success_timestamp_seconds",
                "When a backup of a schedule was finished last; none while it is suspended.",
                List.of("kind", "namespace", "name", "granary"));
        for (Seen seen : all) {
            if (isSuspended(seen)) {
                // Nobody waits for its backups, so no alert is to.
                continue;
            }
            Id id = Id.of(seen.resource());
            if (seen.conditions() != null) {
                seen.conditions()
                        .forEach(each -> conditions.addMetric(
                                id.labels(each.getType()), "True".equals(each.getStatus()) ? 1 : 0));
            }
            LastBackup last = seen.last();
            if (last != null) {
                success.addMetric(id.labels(last.granary()), (double)
                        Instant.parse(last.finished()).getEpochSecond());
            }
        }
        return List.of(reconciles, conditions, success);
    }

    private static boolean isSuspended(Seen seen) {
        return seen.conditions() != null
                && seen.conditions().stream().anyMatch(each -> ScheduleReconciler.SUSPENDED.equals(each.getReason()));
    }
}
