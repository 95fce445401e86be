package dev.granary.cli.kubectl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.doctor.Diagnosis;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.Finding;
import dev.granary.cli.doctor.ProcessLook;
import dev.granary.cli.doctor.ProcessLook.Role;
import dev.granary.cli.doctor.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackupChecksTest {

    private static final Instant NOW = Instant.ofEpochSecond(10_000_000);
    private static final JsonNode GRANARY =
            Json.parse("a Granary", "{\"metadata\": {\"namespace\": \"n\", \"name\": \"g\"}}");

    private static String condition(String kind, String name, String type, int value) {
        return "granary_operator_backup_condition{kind=\"%s\",namespace=\"n\",name=\"%s\",type=\"%s\"} %d\n"
                .formatted(kind, name, type, value);
    }

    private static String success(String name, Duration ago) {
        return "granary_operator_backup_last_success_timestamp_seconds"
                + "{kind=\"GranaryBackupSchedule\",namespace=\"n\",name=\"%s\"} %d\n"
                        .formatted(name, NOW.minus(ago).getEpochSecond());
    }

    private static List<String> wrong(String metrics) {
        Samples samples = Samples.parse("granary_operator_leader 1.0\n" + metrics);
        ProcessLook operator = ProcessLook.of(Role.OPERATOR, "", "operator-0", samples, samples);
        Evidence evidence = new Evidence(MissingNode.getInstance(), List.of(operator), GRANARY, List.of(), NOW);
        return Diagnosis.make(BackupChecks.ALL, evidence).findings().stream()
                .filter(finding -> finding.level().isWrong())
                .map(Finding::what)
                .toList();
    }

    @Test
    void examine_noBackups_nothingIsWrong() {
        assertThat(wrong("")).isEmpty();
    }

    @Test
    void examine_backupHasFailed_isTold() {
        assertThat(wrong(condition("GranaryBackup", "b", "Failed", 1))).containsExactly("GranaryBackup b has failed");
        assertThat(wrong(condition("GranaryBackup", "b", "Failed", 0))).isEmpty();
    }

    @Test
    void examine_backupOfAnotherNamespaceHasFailed_isNotTold() {
        assertThat(wrong(condition("GranaryBackup", "b", "Failed", 1).replace("namespace=\"n\"", "namespace=\"m\"")))
                .isEmpty();
    }

    @Test
    void examine_scheduleHasNeverMadeABackup_hasFailed() {
        assertThat(wrong(condition("GranaryBackupSchedule", "s", "Ready", 0)))
                .containsExactly("GranaryBackupSchedule s has failed");
    }

    @Test
    void examine_scheduleMissedABackup_isTooOldAfterADay() {
        String missed = condition("GranaryBackupSchedule", "s", "Ready", 0);
        assertThat(wrong(missed + success("s", Duration.ofHours(25)))).isEmpty();
        assertThat(wrong(missed + success("s", Duration.ofHours(27))))
                .containsExactly("the last backup of GranaryBackupSchedule s is too old");
    }

    @Test
    void examine_noBackupForEightDays_isTooOldWhateverTheScheduleSays() {
        String ready = condition("GranaryBackupSchedule", "s", "Ready", 1);
        assertThat(wrong(ready + success("s", Duration.ofDays(7)))).isEmpty();
        assertThat(wrong(ready + success("s", Duration.ofDays(9)))).hasSize(1);
    }
}
