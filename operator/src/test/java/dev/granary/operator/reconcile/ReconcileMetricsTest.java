package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.GranaryStatus;
import dev.granary.testkit.MetricsPage;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReconcileMetricsTest {

    private final CollectorRegistry registry = new CollectorRegistry();
    private final List<Granary> resources = new ArrayList<>();
    private final ReconcileMetrics metrics = new ReconcileMetrics(registry, InstantSource.system());

    private static Granary granary(String name, String type, String status) {
        Granary granary = new Granary();
        granary.setMetadata(
                new ObjectMetaBuilder().withNamespace("shop").withName(name).build());
        granary.setStatus(new GranaryStatus(
                1L,
                List.of(new ConditionBuilder().withType(type).withStatus(status).build()),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null));
        return granary;
    }

    private @Nullable Double condition(String name, String type, String status) {
        return registry.getSampleValue(
                "granary_operator_condition",
                new String[] {"namespace", "name", "type", "status"},
                new String[] {"shop", name, type, status});
    }

    @Test
    void collect_conditionOfAResource_isOneForTheStatusThatItHas() {
        metrics.watch(resources::stream);
        resources.add(granary("social", "Degraded", "True"));
        assertThat(condition("social", "Degraded", "True")).isEqualTo(1);
        assertThat(condition("social", "Degraded", "False")).isZero();
        assertThat(condition("social", "Degraded", "Unknown")).isZero();

        resources.set(0, granary("social", "Degraded", "Unknown"));
        assertThat(condition("social", "Degraded", "True")).isZero();
        assertThat(condition("social", "Degraded", "Unknown")).isEqualTo(1);
    }

    @Test
    void collect_resourceWithoutAStatusOrGone_hasNoConditions() {
        metrics.watch(resources::stream);
        Granary fresh = granary("fresh", "Ready", "True");
        fresh.setStatus(null);
        resources.add(fresh);
        assertThat(condition("fresh", "Ready", "True")).isNull();
        resources.add(granary("social", "Ready", "True"));
        assertThat(condition("social", "Ready", "True")).isEqualTo(1);
        resources.removeLast();
        assertThat(condition("social", "Ready", "True")).isNull();
    }

    @Test
    void time_workThatFailsAndWorkThatDoes_areCountedUntilTheResourceEnds() {
        Granary social = granary("social", "Ready", "True");
        metrics.watch(() -> Stream.of(social));
        assertThat(metrics.<Integer>time(social, () -> 7)).isEqualTo(7);
        String[] labels = {"namespace", "name", "outcome"};
        assertThat(registry.getSampleValue(
                        "granary_operator_reconciles_total", labels, new String[] {"shop", "social", "ok"}))
                .isEqualTo(1);
        metrics.watch(Stream::empty);
        assertThat(registry.getSampleValue(
                        "granary_operator_reconciles_total", labels, new String[] {"shop", "social", "ok"}))
                .isNull();
    }

    private @Nullable Double trouble(String metric) {
        return registry.getSampleValue(metric, new String[] {"namespace", "name"}, new String[] {"shop", "social"});
    }

    private static Granary withStatus(String reason, String phase) {
        Granary granary = granary("social", "Degraded", "True");
        granary.setStatus(new GranaryStatus(
                1L,
                List.of(new ConditionBuilder()
                        .withType("Degraded")
                        .withStatus("True")
                        .withReason(reason)
                        .build()),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(new GranaryStatus.StopStatus(
                        "social-storage-2", "", "ScaleIn", phase, "", null, null, null, null, null)),
                null,
                null,
                null,
                null,
                null));
        return granary;
    }

    @Test
    void collect_updateRolledBackAndStopBlocked_areShownWhileTheyLast() {
        metrics.watch(resources::stream);
        resources.add(withStatus("UpdateRolledBack", "Blocked"));
        assertThat(trouble("granary_operator_update_rolled_back")).isEqualTo(1);
        assertThat(trouble("granary_operator_stops_blocked")).isEqualTo(1);

        resources.set(0, withStatus("AsExpected", "Draining"));
        assertThat(trouble("granary_operator_update_rolled_back")).isZero();
        assertThat(trouble("granary_operator_stops_blocked")).isZero();
    }

    @Test
    void metricsPage_operator_matchesWhatIsRegistered() throws IOException {
        metrics.watch(resources::stream);
        resources.add(granary("social", "Ready", "True"));
        assertThat(metrics.<Integer>time(resources.getFirst(), () -> 7)).isEqualTo(7);
        MetricsPage.check(Path.of("..", "docs", "metrics.md"), "operator", registry);
    }
}
