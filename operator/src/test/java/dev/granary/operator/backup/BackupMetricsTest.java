package dev.granary.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.operator.api.backup.GranaryBackupSchedule;
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

class BackupMetricsTest {
    private static final BackupMetrics.LastBackup LAST = new BackupMetrics.LastBackup("social", "1970-01-01T00:01:40Z");

    private final CollectorRegistry registry = new CollectorRegistry();
    private final BackupMetrics metrics = new BackupMetrics(registry);

    private static GranaryBackupSchedule schedule() {
        GranaryBackupSchedule schedule = new GranaryBackupSchedule();
        schedule.setMetadata(
                new ObjectMetaBuilder().withNamespace("shop").withName("daily").build());
        return schedule;
    }

    private @Nullable Double reconciles(String outcome) {
        return registry.getSampleValue(
                "granary_operator_backup_reconciles_total",
                new String[] {"kind", "namespace", "name", "outcome"},
                new String[] {"GranaryBackupSchedule", "shop", "daily", outcome});
    }

    @Test
    void count_workThatFailsAndWorkThatDoes_areCountedUntilTheResourceEnds() {
        GranaryBackupSchedule schedule = schedule();
        metrics.watch("GranaryBackupSchedule", () -> Stream.of(new BackupMetrics.Seen(schedule, null, null)));
        assertThat(metrics.<Integer>count(schedule, () -> 7)).isEqualTo(7);
        assertThatThrownBy(() -> metrics.count(schedule, () -> {
                    throw new IllegalStateException("refused");
                }))
                .hasMessage("refused");
        assertThat(reconciles("ok")).isEqualTo(1);
        assertThat(reconciles("error")).isEqualTo(1);
        metrics.watch("GranaryBackupSchedule", Stream::empty);
        assertThat(reconciles("ok")).isNull();
    }

    @Test
    void collect_scheduleWithABackup_tellsItsConditionsAndWhenTheLastOneWasFinished() {
        var ready = new ConditionBuilder().withType("Ready").withStatus("True").build();
        var other = new ConditionBuilder().withType("Other").withStatus("False").build();
        metrics.watch(
                "GranaryBackupSchedule",
                () -> Stream.of(new BackupMetrics.Seen(schedule(), List.of(ready, other), LAST)));
        assertThat(condition("Ready")).isEqualTo(1);
        assertThat(condition("Other")).isZero();
        assertThat(registry.getSampleValue(
                        "granary_operator_backup_last_success_timestamp_seconds",
                        new String[] {"kind", "namespace", "name", "granary"},
                        new String[] {"GranaryBackupSchedule", "shop", "daily", "social"}))
                .isEqualTo(100);
    }

    @Test
    void collect_scheduleIsSuspended_tellsNothingThatAnAlertCouldBeAbout() {
        var suspended = new ConditionBuilder()
                .withType("Ready")
                .withStatus("False")
                .withReason("Suspended")
                .build();
        metrics.watch(
                "GranaryBackupSchedule", () -> Stream.of(new BackupMetrics.Seen(schedule(), List.of(suspended), LAST)));
        assertThat(condition("Ready")).isNull();
        assertThat(registry.getSampleValue(
                        "granary_operator_backup_last_success_timestamp_seconds",
                        new String[] {"kind", "namespace", "name", "granary"},
                        new String[] {"GranaryBackupSchedule", "shop", "daily", "social"}))
                .isNull();
    }

    @Test
    void metricsPage_backups_matchesWhatIsRegistered() throws IOException {
        GranaryBackupSchedule schedule = schedule();
        var ready = new ConditionBuilder().withType("Ready").withStatus("True").build();
        metrics.watch("GranaryBackupSchedule", () -> Stream.of(new BackupMetrics.Seen(schedule, List.of(ready), LAST)));
        assertThat(metrics.<Integer>count(schedule, () -> 7)).isEqualTo(7);
        MetricsPage.check(Path.of("..", "docs", "metrics.md"), "backups", registry);
    }

    private @Nullable Double condition(String type) {
        return registry.getSampleValue(
                "granary_operator_backup_condition",
                new String[] {"kind", "namespace", "name", "type"},
                new String[] {"GranaryBackupSchedule", "shop", "daily", type});
    }
}
