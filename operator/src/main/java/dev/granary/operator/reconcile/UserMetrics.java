package dev.granary.operator.reconcile;

import dev.granary.operator.api.GranaryUser;
import io.fabric8.kubernetes.api.model.Condition;
import io.prometheus.client.Collector;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.CounterMetricFamily;
import io.prometheus.client.GaugeMetricFamily;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The metrics of GranaryUsers. The series of a user ends with it. Thread-safe. */
public final class UserMetrics extends Collector {
    private final LongAdder ok = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private volatile Supplier<Stream<GranaryUser>> users = Stream::of;

    /** Makes the metrics and adds them to a registry. */
    public UserMetrics(CollectorRegistry registry) {
        register(registry);
    }

    /** Sets where the watched users come from. */
    void watch(Supplier<Stream<GranaryUser>> source) {
        users = source;
    }

    /** Runs one reconcile, counts it, and returns its result. */
    <T> T count(Supplier<T> work) {
        boolean good = false;
        try {
            T result = work.get();
            good = true;
            return result;
        } finally {
            (good ? ok : errors).increment();
        }
    }

    @Override
    public List<MetricFamilySamples> collect() {
        CounterMetricFamily reconciles = new CounterMetricFamily(
                "granary_operator_user_reconciles", "Reconciles of GranaryUsers.", List.of("outcome"));
        reconciles.addMetric(List.of("ok"), (double) ok.sum());
        reconciles.addMetric(List.of("error"), (double) errors.sum());
        GaugeMetricFamily conditions = new GaugeMetricFamily(
                "granary_operator_user_condition",
                "1 while a condition of a GranaryUser is True, otherwise 0.",
                List.of("namespace", "name", "granary", "type"));
        users.get().filter(user -> user.getSpec() != null).forEach(user -> {
            Condition ready = UserReconciler.ready(user.getStatus());
            if (ready != null) {
                conditions.addMetric(
                        List.of(
                                user.getMetadata().getNamespace(),
                                user.getMetadata().getName(),
                                user.getSpec().granaryRef().name(),
                                ready.getType()),
                        "True".equals(ready.getStatus()) ? 1 : 0);
            }
        });
        return List.of(reconciles, conditions);
    }
}
