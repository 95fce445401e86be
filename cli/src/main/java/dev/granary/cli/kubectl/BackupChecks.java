package dev.granary.cli.kubectl;

import dev.granary.cli.doctor.Check;
import dev.granary.cli.doctor.Check.Needs;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.Finding.Level;
import dev.granary.cli.doctor.ProcessLook;
import dev.granary.cli.doctor.Samples.Sample;
import dev.granary.cli.doctor.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** Checks of backups, restores and schedules in the namespace of the resource, by the metrics of the operator. */
final class BackupChecks {

    private static final String CONDITION = "granary_operator_backup_condition";
    private static final String LAST_SUCCESS = "granary_operator_backup_last_success_timestamp_seconds";
    private static final String SCHEDULE = "GranaryBackupSchedule";
    private static final Duration A_DAY_AND_A_BIT = Duration.ofHours(26);
    private static final Duration LONG = Duration.ofDays(8);

    static final List<Check> ALL = List.of(
            new Check(
                    "GranaryBackupFailed",
                    Level.WARNING,
                    "GranaryBackupFailed",
                    Needs.OPERATOR,
                    "no backup or restoration of the namespace has failed",
                    BackupChecks::failed),
            new Check(
                    "GranaryBackupTooOld",
                    Level.WARNING,
                    "GranaryBackupTooOld",
                    Needs.OPERATOR,
                    "every schedule of the namespace has a young backup",
                    BackupChecks::tooOld));

    private BackupChecks() {}

    private static Stream<Sample> samples(Evidence evidence, String metric) {
        String namespace = evidence.resource().at("/metadata/namespace").asText();
        return evidence.processes().stream()
                .filter(process -> process.role() == ProcessLook.Role.OPERATOR)
                .flatMap(process -> process.now().of(metric))
                .filter(sample -> sample.label("namespace").equals(namespace));
    }

    private static boolean isSameObject(Sample one, Sample other) {
        return one.label("kind").equals(other.label("kind"))
                && one.label("name").equals(other.label("name"));
    }

    private static boolean isNotReady(Sample condition) {
        return condition.label("kind").equals(SCHEDULE)
                && condition.label("type").equals("Ready")
                && condition.value() == 0;
    }

    private static boolean hasFailed(Sample condition) {
        return condition.label("type").equals("Failed") && condition.value() == 1;
    }

    private static List<Trouble> failed(Evidence evidence) {
        List<Sample> successes = samples(evidence, LAST_SUCCESS).toList();
        return samples(evidence, CONDITION)
                .filter(condition -> hasFailed(condition)
                        || (isNotReady(condition)
                                && successes.stream().noneMatch(success -> isSameObject(success, condition))))
                .map(condition -> Trouble.of(
                        condition.label("name"),
                        condition.label("kind") + " " + condition.label("name")
                                + (isNotReady(condition) ? " has never made a backup" : " has failed"),
                        "kubectl describe " + condition.label("kind") + " " + condition.label("name")))
                .distinct()
                .toList();
    }

    private static List<Trouble> tooOld(Evidence evidence) {
        List<Sample> conditions = samples(evidence, CONDITION).toList();
        return samples(evidence, LAST_SUCCESS)
                .filter(success -> {
                    Duration age = Duration.between(at(success), evidence.at());
                    boolean late = conditions.stream()
                            .anyMatch(condition -> isNotReady(condition) && isSameObject(success, condition));
                    return age.compareTo(late ? A_DAY_AND_A_BIT : LONG) > 0;
                })
                .map(success -> Trouble.of(
                                success.label("name"),
                                "the last backup of schedule " + success.label("name") + " is old",
                                "kubectl describe " + SCHEDULE + " " + success.label("name"))
                        .since(at(success).toString()))
                .distinct()
                .toList();
    }

    private static Instant at(Sample timestamp) {
        return Instant.ofEpochSecond((long) timestamp.value());
    }
}
