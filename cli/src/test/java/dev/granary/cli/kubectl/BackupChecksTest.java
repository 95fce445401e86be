package dev.granary.cli.kubectl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.MissingNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.doctor.Diagnosis;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.Finding;
import dev.granary.cli.doctor.ProcessLook;
import dev.granary.cli.doctor.ProcessLook.Role;
import dev.granary.cli.doctor.Samples;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackupChecksTest {

    private static final long HOUR = 3_600;
    private static final Instant NOW = Instant.ofEpochSecond(100_000_000);

    private static String condition(String kind, String type, int value) {
        return "granary_operator_backup_condition{kind=\"" + kind + "\",namespace=\"n\",name=\"b\",type=\"" + type
                + "\",} " + value + "\n";
    }

    private static String successBefore(long hours) {
        return "granary_operator_backup_last_success_timestamp_seconds{kind=\"GranaryBackupSchedule\",namespace=\"n\","
                + "name=\"b\",} " + (NOW.getEpochSecond() - hours * HOUR) + "\n";
    }

    private static List<Finding> wrong(String metrics) {
        Samples samples = Samples.parse(metrics);
        ProcessLook operator = ProcessLook.of(Role.OPERATOR, "", "operator-0", samples, samples);
        Evidence evidence = new Evidence(
                MissingNode.getInstance(),
                List.of(operator),
                Json.parse("a Granary", "{\"metadata\": {\"namespace\": \"n\", \"name\": \"g\"}}"),
                List.of(),
                NOW);
        return Diagnosis.make(BackupChecks.ALL, evidence).findings().stream()
                .filter(finding -> finding.level().isWrong())
                .toList();
    }

    @Test
    void examine_backupFailed_isNamed() {
        assertThat(wrong(condition("GranaryBackup", "Failed", 1)))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.alert()).isEqualTo("GranaryBackupFailed");
                    assertThat(finding.what()).isEqualTo("GranaryBackup b has failed");
                    assertThat(finding.advice()).isEqualTo("kubectl describe GranaryBackup b");
                });
    }

    @Test
    void examine_failedInAnotherNamespace_isNotItsOwn() {
        assertThat(wrong(condition("GranaryBackup", "Failed", 1).replace("\"n\"", "\"other\"")))
                .isEmpty();
    }

    @Test
    void examine_scheduleWithoutAnyBackup_isNamed() {
        assertThat(wrong(condition("GranaryBackupSchedule", "Ready", 0)))
                .extracting(Finding::alert, Finding::what)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(
                        "GranaryBackupFailed", "GranaryBackupSchedule b has never made a backup"));
    }

    @Test
    void examine_scheduleIsLateAndItsBackupOlderThanADay_isTooOldSinceThen() {
        String late = condition("GranaryBackupSchedule", "Ready", 0);
        assertThat(wrong(late + successBefore(27))).singleElement().satisfies(finding -> {
            assertThat(finding.alert()).isEqualTo("GranaryBackupTooOld");
            assertThat(finding.since()).isEqualTo(NOW.minusSeconds(27 * HOUR).toString());
        });
        assertThat(wrong(late + successBefore(25))).isEmpty();
    }

    @Test
    void examine_scheduleIsReady_hasEightDays() {
        String ready = condition("GranaryBackupSchedule", "Ready", 1);
        assertThat(wrong(ready + successBefore(190))).isEmpty();
        assertThat(wrong(ready + successBefore(193))).extracting(Finding::alert).containsExactly("GranaryBackupTooOld");
    }
}
