package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.doctor.Check;
import dev.granary.cli.doctor.Check.Needs;
import dev.granary.cli.doctor.Evidence;
import dev.granary.cli.doctor.Finding.Level;
import dev.granary.cli.doctor.Samples.Sample;
import dev.granary.cli.doctor.Trouble;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What {@code kubectl granary doctor} looks at of the backups, restorations and schedules in the resource's namespace.
 * The operator's metrics tell it, so that the alerts and this see the same.
 */
final class BackupChecks {

    private static final String RUNBOOK = "GranaryBackupFailed";
    private static final Duration MISSED = Duration.ofHours(26);
    private static final Duration ALWAYS_TOO_OLD = Duration.ofDays(8);

    static final List<Check> ALL = List.of(
            new Check(
                    "GranaryBackupFailed",
                    Level.WARNING,
                    RUNBOOK,
                    Needs.OPERATOR,
                    "no backup, restoration or schedule has failed",
                    BackupChecks::failed),
            new Check(
                    "GranaryBackupTooOld",
                    Level.WARNING,
                    RUNBOOK,
                    Needs.OPERATOR,
                    "the last backup of each schedule is new enough",
                    BackupChecks::tooOld));

    private BackupChecks() {}

    private static Stream<Sample> samples(Evidence evidence, String metric) {
        JsonNode namespace = evidence.resource().at("/metadata/namespace");
        return ResourceChecks.leaders(evidence)
                .flatMap(samples -> samples.of(metric))
                .filter(sample -> sample.label("namespace").equals(namespace.asText()));
    }

    private static Stream<Sample> conditions(Evidence evidence, String type, double value) {
        return samples(evidence, "granary_operator_backup_condition")
                .filter(sample -> sample.label("type").equals(type) && sample.value() == value);
    }

    private static boolean isSameAs(Sample one, Sample other) {
        return one.label("kind").equals(other.label("kind"))
                && one.label("name").equals(other.label("name"));
    }

    private static Optional<Sample> lastSuccess(Evidence evidence, Sample of) {
        return samples(evidence, "granary_operator_backup_last_success_timestamp_seconds")
                .filter(sample -> isSameAs(sample, of))
                .findAny();
    }

    private static String nameOf(Sample sample) {
        return sample.label("kind") + " " + sample.label("name");
    }

    private static List<Trouble> failed(Evidence evidence) {
        Stream<Sample> neverSucceeded = conditions(evidence, "Ready", 0)
                .filter(sample -> sample.label("kind").equals("GranaryBackupSchedule"))
                .filter(sample -> lastSuccess(evidence, sample).isEmpty());
        return Stream.concat(conditions(evidence, "Failed", 1), neverSucceeded)
                .map(sample -> Trouble.of(
                        sample.label("name"),
                        nameOf(sample) + " has failed",
                        "its conditions say why: kubectl describe "
                                + sample.label("kind").toLowerCase(Locale.ROOT) + " " + sample.label("name")))
                .toList();
    }

    private static List<Trouble> tooOld(Evidence evidence) {
        return samples(evidence, "granary_operator_backup_last_success_timestamp_seconds")
                .filter(sample -> isTooOld(evidence, sample))
                .map(sample -> Trouble.of(
                                sample.label("name"),
                                "the last backup of " + nameOf(sample) + " is too old",
                                "look at its Jobs: kubectl describe cronjob " + sample.label("name") + "-backups")
                        .since(Instant.ofEpochSecond((long) sample.value()).toString()))
                .toList();
    }

    private static boolean isTooOld(Evidence evidence, Sample success) {
        Duration age = Duration.between(Instant.ofEpochSecond((long) success.value()), evidence.at());
        boolean missed = conditions(evidence, "Ready", 0).anyMatch(sample -> isSameAs(sample, success));
        return age.compareTo(ALWAYS_TOO_OLD) > 0 || (missed && age.compareTo(MISSED) > 0);
    }
}
