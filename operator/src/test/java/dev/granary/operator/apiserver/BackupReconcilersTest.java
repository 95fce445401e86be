package dev.granary.operator.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.granary.operator.api.Granary;
import dev.granary.operator.api.backup.GranaryBackup;
import dev.granary.operator.api.backup.GranaryBackupSchedule;
import dev.granary.operator.api.backup.GranaryRestore;
import dev.granary.operator.api.backup.ScheduleStatus;
import dev.granary.operator.api.backup.TransferStatus;
import dev.granary.operator.backup.BackupMetrics;
import dev.granary.operator.backup.BackupReconciler;
import dev.granary.operator.backup.RestoreReconciler;
import dev.granary.operator.backup.ScheduleReconciler;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaStatus;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.Operator;
import io.prometheus.client.CollectorRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Backups, restores and schedules with a real API server; the test plays the controller of Jobs. */
@Tag("api-server")
class BackupReconcilersTest {
    private static final Duration PACE = Duration.ofMillis(200);
    private static final String PLACE = "{volume: {claimName: backups, path: social}}";

    private final KubernetesClient client = ApiServer.get().client();
    private final CollectorRegistry registry = new CollectorRegistry();
    private final BackupMetrics metrics = new BackupMetrics(registry);
    private String namespace = "";
    private @Nullable Operator operator;

    @BeforeEach
    void startOperator() {
        namespace = ApiServer.get().namespace("backups");
        Operator started = new Operator(overrides -> overrides
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                .withReconciliationTerminationTimeout(Duration.ofSeconds(5)));
        started.register(
                new BackupReconciler(client, address -> null, metrics, InstantSource.system(), PACE),
                overrides -> overrides.settingNamespace(namespace));
        started.register(
                new RestoreReconciler(client, address -> null, metrics, InstantSource.system(), PACE),
                overrides -> overrides.settingNamespace(namespace));
        started.register(
                new ScheduleReconciler(client, metrics, InstantSource.system(), PACE),
                overrides -> overrides.settingNamespace(namespace));
        started.start();
        operator = started;
    }

    @AfterEach
    void stopOperator() {
        if (operator != null) {
            operator.stop();
        }
    }

    @Test
    void backup_clusterBecomesReady_jobIsMadeOnceAndItsEndIsTold() {
        apply("GranaryBackup", "first", "{granaryRef: {name: social}, destination: " + PLACE + "}");
        awaitReason(GranaryBackup.class, "first", "NoSuchGranary");
        makeCluster();

        Job job = await().atMost(Duration.ofSeconds(30)).until(() -> job("first-backup"), Objects::nonNull);
        assertThat(job.getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage())
                .isEqualTo("localhost/granary:7");
        assertThat(job.getMetadata().getOwnerReferences().getFirst().getKind()).isEqualTo("GranaryBackup");
        awaitReason(GranaryBackup.class, "first", "Running");
        end(job, "Complete");

        awaitReason(GranaryBackup.class, "first", "Done");
        assertThat(client.v1().events().inNamespace(namespace).list().getItems())
                .anyMatch(event -> event.getReason().equals("Done"));
    }

    @Test
    void restore_ofABackupThatFails_failsAndMakesNoJob() {
        makeCluster();
        apply("GranaryBackup", "first", "{granaryRef: {name: social}, destination: " + PLACE + "}");
        apply("GranaryRestore", "back", "{granaryRef: {name: social}, backupRef: {name: first}}");
        awaitReason(GranaryRestore.class, "back", "BackupNotComplete");
        Job job = await().atMost(Duration.ofSeconds(30)).until(() -> job("first-backup"), Objects::nonNull);
        end(job, "Failed");

        awaitReason(GranaryRestore.class, "back", "BackupFailed");
        assertThat(job("back-restore")).isNull();
    }

    @Test
    void restore_fromAPlace_jobHasPlaceAndId() {
        makeCluster();
        apply("GranaryRestore", "back", "{granaryRef: {name: social}, source: " + PLACE + ", id: old-1}");
        Job job = await().atMost(Duration.ofSeconds(30)).until(() -> job("back-restore"), Objects::nonNull);
        assertThat(job.getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getArgs())
                .containsSequence("--store", "/backups/social")
                .endsWith("old-1");
    }

    @Test
    void backup_itsJobIsDeletedBeforeItsEndIsSeen_failsAndMakesNoOther() {
        makeCluster();
        apply("GranaryBackup", "first", "{granaryRef: {name: social}, destination: " + PLACE + "}");
        awaitReason(GranaryBackup.class, "first", "Running");
        client.resource(Objects.requireNonNull(job("first-backup")))
                .withPropagationPolicy(DeletionPropagation.BACKGROUND)
                .delete();

        awaitReason(GranaryBackup.class, "first", "JobGone");
        assertThat(job("first-backup")).isNull();
    }

    @Test
    void backup_namespaceHasNoQuotaForJobs_isSaidByStatusEventAndMetrics() {
        makeCluster();
        client.resource(Serialization.unmarshal("""
                apiVersion: v1
                kind: ResourceQuota
                metadata: {name: no-jobs, namespace: %s}
                spec: {hard: {count/jobs.batch: "0"}}
                """.formatted(namespace), ResourceQuota.class))
                .create();
        setQuotaStatus();
        apply("GranaryBackup", "first", "{granaryRef: {name: social}, destination: " + PLACE + "}");

        awaitReason(GranaryBackup.class, "first", "Forbidden");
        assertThat(client.v1().events().inNamespace(namespace).list().getItems())
                .anyMatch(event -> event.getReason().equals("Forbidden")
                        && event.getType().equals("Warning")
                        && event.getMessage().contains("exceeded quota: no-jobs"));
        await().atMost(Duration.ofSeconds(30)).until(() -> reconciles("GranaryBackup", "first", "error") > 0);
        client.resourceQuotas().inNamespace(namespace).withName("no-jobs").delete();
        awaitReason(GranaryBackup.class, "first", "Running");
        assertThat(reconciles("GranaryBackup", "first", "ok")).isPositive();
    }

    /** Plays the controller of quotas: the admission compares with the status. */
    private void setQuotaStatus() {
        client.resourceQuotas().inNamespace(namespace).withName("no-jobs").editStatus(quota -> {
            ResourceQuotaStatus status = new ResourceQuotaStatus();
            status.setHard(Map.of("count/jobs.batch", new Quantity("0")));
            status.setUsed(Map.of("count/jobs.batch", new Quantity("0")));
            quota.setStatus(status);
            return quota;
        });
    }

    private double reconciles(String kind, String name, String outcome) {
        Double count = registry.getSampleValue(
                "granary_operator_backup_reconciles_total",
                new String[] {"kind", "namespace", "name", "outcome"},
                new String[] {kind, namespace, name, outcome});
        return count == null ? 0 : count;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    schedule: '61 * * * *'                              | end of range (61) above maximum (59)
                    schedule: '0 3 * * *', timeZone: Mars/Olympus_Mons  | unknown time zone Mars/Olympus_Mons
                    """)
    void schedule_thatKubernetesDoesNotUnderstand_isSaidByStatusAndEvent(String when, String message) {
        makeCluster();
        apply(
                "GranaryBackupSchedule",
                "daily",
                "{granaryRef: {name: social}, " + when + ", destination: " + PLACE + "}");

        await().atMost(Duration.ofSeconds(30)).until(() -> scheduleSays("Refused", message));
        assertThat(client.v1().events().inNamespace(namespace).list().getItems())
                .anyMatch(event -> event.getReason().equals("Refused")
                        && event.getType().equals("Warning")
                        && event.getMessage().contains(message));
        apply(
                "GranaryBackupSchedule",
                "daily",
                "{granaryRef: {name: social}, schedule: '0 3 * * *', destination: " + PLACE + "}");
        await().atMost(Duration.ofSeconds(60)).until(() -> scheduleSays("Scheduled", ""));
    }

    private boolean scheduleSays(String reason, String message) {
        GranaryBackupSchedule schedule = client.resources(GranaryBackupSchedule.class)
                .inNamespace(namespace)
                .withName("daily")
                .get();
        ScheduleStatus status = schedule == null ? null : schedule.getStatus();
        List<Condition> conditions = status == null || status.conditions() == null ? List.of() : status.conditions();
        return conditions.stream()
                .anyMatch(each ->
                        reason.equals(each.getReason()) && each.getMessage().contains(message));
    }

    @Test
    void schedule_cronJobIsChangedByHand_isAsTheScheduleSaysAgain() {
        makeCluster();
        apply(
                "GranaryBackupSchedule",
                "daily",
                "{granaryRef: {name: social}, schedule: '0 3 * * *', destination: " + PLACE + "}");
        CronJob made = await().atMost(Duration.ofSeconds(30)).until(() -> cronJob("daily-backups"), Objects::nonNull);
        client.resource(made).edit(old -> {
            old.getSpec().setSchedule("@hourly");
            return old;
        });
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            CronJob now = cronJob("daily-backups");
            return now != null && now.getSpec().getSchedule().equals("0 3 * * *");
        });
    }

    @Test
    void schedule_changed_cronJobFollows() {
        makeCluster();
        apply(
                "GranaryBackupSchedule",
                "daily",
                "{granaryRef: {name: social}, schedule: '0 3 * * *', destination: " + PLACE + "}");
        await().atMost(Duration.ofSeconds(30)).until(() -> cronJob("daily-backups"), Objects::nonNull);
        apply(
                "GranaryBackupSchedule",
                "daily",
                "{granaryRef: {name: social}, schedule: '@hourly', keep: 3, destination: " + PLACE + "}");
        CronJob changed = await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> cronJob("daily-backups"),
                        each -> each != null && each.getSpec().getSchedule().equals("@hourly"));
        assertThat(changed.getSpec()
                        .getJobTemplate()
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getArgs())
                .containsSequence("--series", "daily")
                .containsSequence("--keep", "3");
    }

    @Test
    void specs_thatMakeNoSense_areRefusedByTheServer() {
        assertRefused("GranaryBackup", "{granaryRef: {name: social}, destination: {}}", "either a volume or s3");
        assertRefused(
                "GranaryBackup",
                "{granaryRef: {name: social}, destination: {volume: {claimName: a, path: ../b}}}",
                "below the volume's root");
        assertRefused("GranaryRestore", "{granaryRef: {name: social}}", "either backupRef");
        assertRefused(
                "GranaryBackupSchedule",
                "{granaryRef: {name: social}, schedule: nightly, destination: " + PLACE + "}",
                "spec.schedule in body should match");
        apply("GranaryBackup", "first", "{granaryRef: {name: social}, destination: " + PLACE + "}");
        assertThatThrownBy(() ->
                        apply("GranaryBackup", "first", "{granaryRef: {name: other}, destination: " + PLACE + "}"))
                .hasMessageContaining("cannot change once it is made");
    }

    private void assertRefused(String kind, String spec, String message) {
        assertThatThrownBy(() -> apply(kind, "wrong", spec))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(message);
    }

    private void apply(String kind, String name, String spec) {
        GenericKubernetesResource object = Serialization.unmarshal(
                "---\n{apiVersion: granary.dev/v1alpha1, kind: " + kind + ", metadata: {name: " + name + ", namespace: "
                        + namespace + "}, spec: " + spec + "}",
                GenericKubernetesResource.class);
        client.resource(object).fieldManager("test").forceConflicts().serverSideApply();
    }

    /** A Granary that is ready, and its super-peers' StatefulSet. */
    private void makeCluster() {
        StatefulSet superPeers = Serialization.unmarshal("""
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: social-super-peer, namespace: %s}
                spec:
                  serviceName: social-super-peer
                  selector: {matchLabels: {a: b}}
                  template:
                    metadata: {labels: {a: b}}
                    spec: {containers: [{name: super-peer, image: "localhost/granary:7"}]}
                """.formatted(namespace), StatefulSet.class);
        client.resource(superPeers).create();
        apply("Granary", "social", "{}");
        Granary patch = Serialization.unmarshal(
                "---\n{apiVersion: granary.dev/v1alpha1, kind: Granary, metadata: {name: social,"
                        + " namespace: " + namespace
                        + "}, status: {conditions: [{type: Ready, status: \"True\", reason: Ready,"
                        + " message: m, lastTransitionTime: \"2026-11-22T00:00:00Z\"}]}}",
                Granary.class);
        client.resource(patch).patchStatus();
    }

    private @Nullable Job job(String name) {
        return client.batch().v1().jobs().inNamespace(namespace).withName(name).get();
    }

    private @Nullable CronJob cronJob(String name) {
        return client.batch()
                .v1()
                .cronjobs()
                .inNamespace(namespace)
                .withName(name)
                .get();
    }

    private void end(Job job, String how) {
        String before = how.equals("Complete") ? "SuccessCriteriaMet" : "FailureTarget";
        Writes.untilTaken(() -> client.resource(job).editStatus(old -> new JobBuilder(old)
                .editOrNewStatus()
                .withStartTime("2026-11-22T00:00:00Z")
                .withCompletionTime(how.equals("Complete") ? "2026-11-22T00:00:01Z" : null)
                .addNewCondition()
                .withType(before)
                .withStatus("True")
                .withReason("r")
                .withMessage("m")
                .endCondition()
                .addNewCondition()
                .withType(how)
                .withStatus("True")
                .withReason("r")
                .withMessage("m")
                .endCondition()
                .endStatus()
                .build()));
    }

    private <R extends CustomResource<?, TransferStatus>> void awaitReason(Class<R> type, String name, String reason) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            R resource =
                    client.resources(type).inNamespace(namespace).withName(name).get();
            TransferStatus status = resource == null ? null : resource.getStatus();
            List<Condition> conditions =
                    status == null || status.conditions() == null ? List.of() : status.conditions();
            return conditions.stream().anyMatch(each -> reason.equals(each.getReason()));
        });
    }
}
