package dev.granary.operator.backup;

import dev.granary.operator.Golden;
import dev.granary.operator.api.BackupPlace;
import dev.granary.operator.api.GranaryBackup;
import dev.granary.operator.api.GranaryBackupSchedule;
import dev.granary.operator.api.GranaryBackupScheduleSpec;
import dev.granary.operator.api.GranaryRestore;
import dev.granary.operator.api.Reference;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The Jobs, as YAML under {@code src/test/resources/golden}. */
class TransferJobsTest {
    private static final TransferTarget TARGET = new TransferTarget(
            "social", "shop", "localhost/granary:1", "IfNotPresent", List.of(new LocalObjectReference("registry")));
    private static final BackupPlace VOLUME = new BackupPlace(new BackupPlace.Volume("backups", "social"), null);
    private static final BackupPlace S3 = new BackupPlace(
            null,
            new BackupPlace.S3("bucket", "granary", "http://minio:9000", "eu-central-1", new Reference("s3-keys")));

    private static <R extends HasMetadata> R named(R resource) {
        resource.setMetadata(new ObjectMetaBuilder()
                .withName("first")
                .withNamespace("shop")
                .withUid("6f1f5b2e-0000-4000-8000-000000000001")
                .build());
        return resource;
    }

    private static void check(String name, HasMetadata object) {
        Golden.check(Path.of("src/test/resources/golden/" + name + ".yaml"), Serialization.asYaml(object));
    }

    @Test
    void backup_toAVolume_asInGoldenFile() {
        check("backup-job-volume", TransferJobs.backup(named(new GranaryBackup()), TARGET, VOLUME));
    }

    @Test
    void restore_fromS3_asInGoldenFile() {
        check("restore-job-s3", TransferJobs.restore(named(new GranaryRestore()), TARGET, S3, "daily-1"));
    }

    @Test
    void schedule_toS3_asInGoldenFile() {
        check(
                "backup-cron-job",
                TransferJobs.schedule(
                        named(new GranaryBackupSchedule()),
                        TARGET,
                        new GranaryBackupScheduleSpec(
                                new Reference("social"), S3, "0 3 * * *", "Europe/Berlin", 5, false)));
    }
}
