package dev.granary.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.api.GranaryUser;
import dev.granary.operator.api.GranaryUserSpec;
import dev.granary.operator.api.Reference;
import dev.granary.operator.api.UserStatus;
import dev.granary.testkit.MetricsPage;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UserMetricsTest {
    private final CollectorRegistry registry = new CollectorRegistry();
    private final UserMetrics metrics = new UserMetrics(registry);

    private static GranaryUser user(String status) {
        GranaryUser user = new GranaryUser();
        user.setMetadata(
                new ObjectMetaBuilder().withNamespace("shop").withName("jobs").build());
        user.setSpec(new GranaryUserSpec(new Reference("social"), null, null, null, "~*"));
        user.setStatus(new UserStatus(
                1L,
                List.of(new ConditionBuilder()
                        .withType("Ready")
                        .withStatus(status)
                        .build()),
                "jobs"));
        return user;
    }

    private @Nullable Double ready() {
        return registry.getSampleValue(
                "granary_operator_user_condition",
                new String[] {"namespace", "name", "granary", "type"},
                new String[] {"shop", "jobs", "social", "Ready"});
    }

    @Test
    void collect_users_tellsTheirConditionAsLongAsTheyAreThere() {
        metrics.watch(() -> Stream.of(user("True")));
        assertThat(ready()).isEqualTo(1);
        metrics.watch(() -> Stream.of(user("False")));
        assertThat(ready()).isZero();
        metrics.watch(Stream::of);
        assertThat(ready()).isNull();
    }

    @Test
    void count_workThatFails_isAnError() {
        assertThat(metrics.<Integer>count(() -> 7)).isEqualTo(7);
        assertThatThrownBy(() -> metrics.count(() -> {
                    throw new IllegalStateException("broken");
                }))
                .hasMessage("broken");
        for (String outcome : List.of("ok", "error")) {
            assertThat(registry.getSampleValue(
                            "granary_operator_user_reconciles_total", new String[] {"outcome"}, new String[] {outcome}))
                    .isEqualTo(1);
        }
    }

    @Test
    void metricsPage_users_matchesWhatIsRegistered() throws IOException {
        metrics.watch(() -> Stream.of(user("True")));
        MetricsPage.check(Path.of("..", "docs", "metrics.md"), "users", registry);
    }
}
