package dev.granary.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.operator.Golden;
import dev.granary.operator.Samples;
import dev.granary.operator.api.Granary;
import dev.granary.operator.api.PodOverridesSpec;
import dev.granary.operator.api.Reference;
import dev.granary.operator.api.backup.BackupPlace;
import dev.granary.operator.api.backup.GranaryBackup;
import dev.granary.operator.api.backup.GranaryBackupSchedule;
import dev.granary.operator.api.backup.GranaryBackupScheduleSpec;
import dev.granary.operator.api.backup.GranaryRestore;
import dev.granary.operator.api.backup.TransferJobSpec;
import dev.granary.operator.build.RestrictedSecurity;
import dev.granary.operator.build.StatefulSets;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.Existing;
import dev.granary.operator.plan.OperatorDefaults;
import dev.granary.operator.plan.Planner;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Jobs, as YAML under {@code src/test/resources/golden}. */
class TransferJobsTest {
    private static final TransferTarget TARGET = new TransferTarget(
            "social",
            "shop",
            "localhost/granary:1",
            "IfNotPresent",
            List.of(new LocalObjectReference("registry")),
            RestrictedSecurity.pod(false),
            7700,
            true,
            null,
            PodOverridesSpec.NONE);
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
        check("backup-job-volume", TransferJobs.backup(named(new GranaryBackup()), TARGET, VOLUME, null));
    }

    @Test
    void restore_fromS3_asInGoldenFile() {
        check("restore-job-s3", TransferJobs.restore(named(new GranaryRestore()), TARGET, S3, "daily-1", null));
    }

    @Test
    void schedule_toS3_asInGoldenFile() {
        check(
                "backup-cron-job",
                TransferJobs.schedule(
                        named(new GranaryBackupSchedule()),
                        TARGET,
                        new GranaryBackupScheduleSpec(
                                new Reference("social"), S3, "0 3 * * *", "Europe/Berlin", 5, false, null)));
    }

    private static StatefulSet superPeers(boolean usersAssigned) {
        ClusterPlan plan = new Planner(new OperatorDefaults("localhost/granary:1", "Always", null, usersAssigned))
                .plan(Samples.granary("social", "{imagePullSecrets: [{name: registry}]}"), Existing.NOTHING);
        return StatefulSets.superPeers(plan);
    }

    @Test
    void backup_clusterWithPlacement_runsWhereItsSuperPeersMay() {
        Granary granary = Samples.granary("social", """
                {superPeers: {pod: {labels: {team: shop, app.kubernetes.io/name: other}, priorityClassName: high,
                  annotations: {sidecar.istio.io/inject: "false"}, nodeSelector: {disk: fast},
                  tolerations: [{key: cache, operator: Exists}], schedulerName: mine, runtimeClassName: gvisor,
                  dnsPolicy: None, dnsConfig: {nameservers: [192.0.2.1]}}}}
                """);
        TransferTarget target = TransferTarget.of(granary, superPeers(false));
        PodTemplateSpec pod = TransferJobs.backup(named(new GranaryBackup()), target, VOLUME, null)
                .getSpec()
                .getTemplate();
        assertThat(pod.getMetadata().getLabels())
                .containsEntry("team", "shop")
                .containsEntry("app.kubernetes.io/name", "granary");
        assertThat(pod.getMetadata().getAnnotations()).containsEntry("sidecar.istio.io/inject", "false");
        assertThat(pod.getSpec().getNodeSelector()).containsEntry("disk", "fast");
        assertThat(pod.getSpec().getTolerations())
                .extracting(Toleration::getKey)
                .containsExactly("cache");
        assertThat(pod.getSpec().getPriorityClassName()).isEqualTo("high");
        assertThat(pod.getSpec().getSchedulerName()).isEqualTo("mine");
        assertThat(pod.getSpec().getRuntimeClassName()).isEqualTo("gvisor");
        assertThat(pod.getSpec().getDnsPolicy()).isEqualTo("None");
        assertThat(pod.getSpec().getDnsConfig().getNameservers()).containsExactly("192.0.2.1");
        assertThat(pod.getSpec().getImagePullSecrets()).containsExactly(new LocalObjectReference("registry"));
    }

    @Test
    void backup_clusterWithVariables_hasThemBesideItsOwn() {
        Granary granary = Samples.granary("social", """
                {superPeers: {pod: {env: [{name: HTTPS_PROXY, value: "http://proxy:3128"},
                  {name: AWS_ACCESS_KEY_ID, value: other}]}}}
                """);
        List<EnvVar> variables = TransferJobs.backup(
                        named(new GranaryBackup()), TransferTarget.of(granary, superPeers(false)), S3, null)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getEnv();
        assertThat(variables).contains(new EnvVar("HTTPS_PROXY", "http://proxy:3128", null));
        assertThat(variables).extracting(EnvVar::getName).doesNotHaveDuplicates();
        assertThat(variables).doesNotContain(new EnvVar("AWS_ACCESS_KEY_ID", "other", null));
    }

    @ParameterizedTest
    @CsvSource({
        "'{tls: {enabled: true}}', social-granary-tls-operator",
        "'{tls: {enabled: true, secrets: {superPeers: {name: a}, storagePeers: {name: b}, operator: {name: c}}}}', c"
    })
    void backup_clusterWithTls_hasTheCertificateOfTheOperator(String spec, String secret) {
        Granary granary = Samples.granary("social", spec);
        StatefulSet superPeers = StatefulSets.superPeers(Samples.plan(spec));
        PodTemplateSpec pod = TransferJobs.backup(
                        named(new GranaryBackup()), TransferTarget.of(granary, superPeers), VOLUME, null)
                .getSpec()
                .getTemplate();
        assertThat(pod.getSpec().getVolumes()).anySatisfy(volume -> {
            assertThat(volume.getName()).isEqualTo("tls");
            assertThat(volume.getSecret().getSecretName()).isEqualTo(secret);
        });
        assertThat(pod.getSpec().getContainers().getFirst().getEnv()).anySatisfy(variable -> assertThat(variable)
                .isEqualTo(new EnvVar("GRANARY_TLS_DIRECTORY", "/etc/granary-tls", null)));
        assertThat(pod.getSpec().getContainers().getFirst().getVolumeMounts())
                .anySatisfy(mount -> assertThat(mount.getMountPath()).isEqualTo("/etc/granary-tls"));
    }

    @Test
    void backup_platformThatAssignsUsers_namesNoneEither() {
        Granary granary = Samples.granary("social", "{}");
        assertThat(security(granary, false).getRunAsUser()).isEqualTo(65532);
        PodSecurityContext assigned = security(granary, true);
        assertThat(assigned.getRunAsUser()).isNull();
        assertThat(assigned.getFsGroup()).isNull();
        assertThat(assigned.getRunAsNonRoot()).isTrue();
    }

    private static PodSecurityContext security(Granary granary, boolean usersAssigned) {
        return TransferJobs.backup(
                        named(new GranaryBackup()), TransferTarget.of(granary, superPeers(usersAssigned)), VOLUME, null)
                .getSpec()
                .getTemplate()
                .getSpec()
                .getSecurityContext();
    }

    @Test
    void backup_settingsOfItsJob_areTheJobs() {
        TransferJobSpec settings = new TransferJobSpec(new Quantity("4Gi"), new Quantity("2"), 600L, 3600);
        JobSpec job = TransferJobs.backup(named(new GranaryBackup()), TARGET, VOLUME, settings)
                .getSpec();
        assertThat(job.getActiveDeadlineSeconds()).isEqualTo(600);
        assertThat(job.getTtlSecondsAfterFinished()).isEqualTo(3600);
        ResourceRequirements resources =
                job.getTemplate().getSpec().getContainers().getFirst().getResources();
        assertThat(resources.getLimits()).isEqualTo(Map.of("memory", new Quantity("4Gi")));
        assertThat(resources.getRequests()).isEqualTo(Map.of("memory", new Quantity("4Gi"), "cpu", new Quantity("2")));
    }
}
