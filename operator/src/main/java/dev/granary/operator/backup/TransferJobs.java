package dev.granary.operator.backup;

import dev.granary.operator.api.PodOverridesSpec;
import dev.granary.operator.api.backup.BackupPlace;
import dev.granary.operator.api.backup.GranaryBackupScheduleSpec;
import dev.granary.operator.api.backup.TransferJobSpec;
import dev.granary.operator.build.RestrictedSecurity;
import dev.granary.operator.build.Secrets;
import dev.granary.operator.build.TlsVolume;
import dev.granary.operator.plan.Names;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpecBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Builds the Jobs that make and restore cluster backups, within the restricted pod security standard. Pure.
 *
 * <p>Their pods have the labels of the cluster, so that its NetworkPolicy lets them in. They report their progress on
 * the port on which the policy lets the operator ask super-peers. They have the cluster's ServiceAccount, so a role
 * that is bound to it counts for them, too.
 */
final class TransferJobs {
    static final String COMPONENT = Names.BACKUP;
    static final int PROGRESS_PORT = Names.SUPER_PEER_HTTP_PORT;
    static final String SCHEDULE_SUFFIX = "-backups";

    /** The file whose content Kubernetes puts into the pod's status. */
    private static final String RESULT = "/dev/termination-log";

    private static final String MOUNT = "/backups";
    private static final int ATTEMPTS_AFTER_THE_FIRST = 3;

    private TransferJobs() {}

    /**
     * What a Job does, and with what.
     *
     * @param arguments the command
     */
    private record Work(TransferTarget target, BackupPlace place, List<String> arguments, TransferJobSpec settings) {}

    private static TransferJobSpec or(@Nullable TransferJobSpec settings) {
        return settings == null ? TransferJobSpec.DEFAULT : settings;
    }

    static Job backup(HasMetadata owner, TransferTarget target, BackupPlace place, @Nullable TransferJobSpec settings) {
        List<String> arguments = new ArrayList<>(List.of("backup", "create"));
        arguments.addAll(common(target, place));
        arguments.addAll(List.of("--id", owner.getMetadata().getName()));
        return job(owner, "-backup", target.cluster(), new Work(target, place, arguments, or(settings)));
    }

    static Job restore(
            HasMetadata owner,
            TransferTarget target,
            BackupPlace place,
            @Nullable String id,
            @Nullable TransferJobSpec settings) {
        List<String> arguments = new ArrayList<>(List.of("restore", "--verify"));
        arguments.addAll(common(target, place));
        if (id != null) {
            arguments.add(id);
        }
        return job(owner, "-restore", target.cluster(), new Work(target, place, arguments, or(settings)));
    }

    static CronJob schedule(HasMetadata owner, TransferTarget target, GranaryBackupScheduleSpec spec) {
        List<String> arguments = new ArrayList<>(List.of("backup", "create"));
        arguments.addAll(common(target, spec.destination()));
        arguments.addAll(List.of("--series", owner.getMetadata().getName()));
        arguments.addAll(List.of("--keep", Integer.toString(spec.keep() == null ? 7 : spec.keep())));
        return new CronJobBuilder()
                .withMetadata(metadata(owner, SCHEDULE_SUFFIX, target.cluster()))
                .withNewSpec()
                .withSchedule(spec.schedule())
                .withTimeZone(spec.timeZone())
                .withSuspend(Boolean.TRUE.equals(spec.suspend()))
                .withConcurrencyPolicy("Forbid")
                .withSuccessfulJobsHistoryLimit(3)
                .withFailedJobsHistoryLimit(1)
                .withNewJobTemplate()
                .withNewMetadata()
                .withLabels(Names.labels(target.cluster(), COMPONENT))
                .endMetadata()
                .withSpec(jobSpec(new Work(target, spec.destination(), arguments, or(spec.job()))))
                .endJobTemplate()
                .endSpec()
                .build();
    }

    private static List<String> common(TransferTarget target, BackupPlace place) {
        List<String> arguments = new ArrayList<>(List.of("--seeds", target.seeds(), "--store", storeOf(place)));
        if (target.adminPort() != 0) {
            arguments.addAll(List.of("--admin-port", Integer.toString(target.adminPort())));
        }
        BackupPlace.S3 s3 = place.s3();
        if (s3 != null && s3.endpoint() != null) {
            arguments.addAll(List.of("--s3-endpoint", s3.endpoint()));
        }
        if (s3 != null && s3.region() != null) {
            arguments.addAll(List.of("--s3-region", s3.region()));
        }
        arguments.addAll(List.of("--progress-port", Integer.toString(PROGRESS_PORT), "--result", RESULT));
        return arguments;
    }

    private static String storeOf(BackupPlace place) {
        BackupPlace.S3 s3 = place.s3();
        if (s3 != null) {
            return "s3://" + s3.bucket() + "/" + (s3.folder() == null ? "" : s3.folder());
        }
        BackupPlace.Volume volume = place.volume();
        String path = volume == null ? null : volume.path();
        return path == null || path.isEmpty() ? MOUNT : MOUNT + "/" + path;
    }

    private static Job job(HasMetadata owner, String suffix, String cluster, Work work) {
        return new JobBuilder()
                .withMetadata(metadata(owner, suffix, cluster))
                .withSpec(jobSpec(work))
                .build();
    }

    private static ObjectMeta metadata(HasMetadata owner, String suffix, String cluster) {
        return new ObjectMetaBuilder()
                .withName(owner.getMetadata().getName() + suffix)
                .withNamespace(owner.getMetadata().getNamespace())
                .withLabels(Names.labels(cluster, COMPONENT))
                .addNewOwnerReference()
                .withApiVersion(owner.getApiVersion())
                .withKind(owner.getKind())
                .withName(owner.getMetadata().getName())
                .withUid(owner.getMetadata().getUid())
                .withController(true)
                .withBlockOwnerDeletion(true)
                .endOwnerReference()
                .build();
    }

    private static JobSpec jobSpec(Work work) {
        Long deadline = work.settings().deadlineSeconds();
        return new JobSpecBuilder()
                .withActiveDeadlineSeconds(deadline == null ? TransferJobSpec.DEADLINE_SECONDS : deadline)
                .withTtlSecondsAfterFinished(work.settings().ttlSecondsAfterFinished())
                .withBackoffLimit(ATTEMPTS_AFTER_THE_FIRST)
                .withTemplate(pod(work))
                .build();
    }

    private static PodTemplateSpec pod(Work work) {
        TransferTarget target = work.target();
        PodOverridesSpec pods = target.pods();
        Map<String, String> labels = new TreeMap<>(pods.labels() == null ? Map.of() : pods.labels());
        labels.putAll(Names.labels(target.cluster(), COMPONENT));
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(labels)
                .withAnnotations(pods.annotations() == null ? Map.of() : pods.annotations())
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withServiceAccountName(Names.serviceAccount(target.cluster()))
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withImagePullSecrets(target.imagePullSecrets())
                .withNodeSelector(pods.nodeSelector() == null ? Map.of() : pods.nodeSelector())
                .withTolerations(pods.tolerations() == null ? List.of() : pods.tolerations())
                .withPriorityClassName(pods.priorityClassName())
                .withRuntimeClassName(pods.runtimeClassName())
                .withSchedulerName(pods.schedulerName())
                .withDnsPolicy(pods.dnsPolicy())
                .withDnsConfig(pods.dnsConfig())
                .withSecurityContext(target.security())
                .withContainers(container(work).build())
                .withVolumes(volumes(work))
                .endSpec()
                .build();
    }

    private static ContainerBuilder container(Work work) {
        TransferTarget target = work.target();
        Quantity asked = work.settings().memory();
        Quantity cpu = work.settings().cpu();
        Quantity memory = asked == null ? new Quantity(TransferJobSpec.MEMORY) : asked;
        return new ContainerBuilder()
                .withName(COMPONENT)
                .withImage(target.image())
                .withImagePullPolicy(target.imagePullPolicy())
                .withCommand("granary")
                .withArgs(work.arguments())
                .withEnv(environment(work))
                .addNewPort()
                .withName("http")
                .withContainerPort(PROGRESS_PORT)
                .withProtocol("TCP")
                .endPort()
                .withNewResources()
                .withRequests(new TreeMap<>(
                        Map.of("cpu", cpu == null ? new Quantity(TransferJobSpec.CPU) : cpu, "memory", memory)))
                .withLimits(Map.of("memory", memory))
                .endResources()
                .withSecurityContext(RestrictedSecurity.container())
                .withVolumeMounts(mounts(work));
    }

    private static List<EnvVar> environment(Work work) {
        List<EnvVar> variables = new ArrayList<>();
        variables.add(variable("GRANARY_JVM_OPTIONS", "-XX:MaxRAMPercentage=70"));
        variables.add(variable("HOME", "/tmp"));
        if (work.target().hasSecret()) {
            variables.add(variable("GRANARY_CLUSTER_SECRET_FILE", Secrets.FILE));
        }
        if (work.target().tlsSecret() != null) {
            variables.add(variable("GRANARY_TLS_DIRECTORY", TlsVolume.DIRECTORY));
        }
        BackupPlace.S3 s3 = work.place().s3();
        if (s3 != null && s3.credentialsSecretRef() != null) {
            for (String key : List.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")) {
                variables.add(new EnvVarBuilder()
                        .withName(key)
                        .withNewValueFrom()
                        .withNewSecretKeyRef()
                        .withName(s3.credentialsSecretRef().name())
                        .withKey(key)
                        .endSecretKeyRef()
                        .endValueFrom()
                        .build());
            }
        }
        // Such as that of a proxy, without which S3 cannot be reached. What the Job has already it keeps.
        List<EnvVar> asked = work.target().pods().env();
        if (asked != null) {
            Set<String> own = variables.stream().map(EnvVar::getName).collect(Collectors.toSet());
            asked.stream().filter(one -> !own.contains(one.getName())).forEach(variables::add);
        }
        return variables;
    }

    private static EnvVar variable(String name, String value) {
        return new EnvVarBuilder().withName(name).withValue(value).build();
    }

    private static List<Volume> volumes(Work work) {
        List<Volume> volumes = new ArrayList<>();
        volumes.add(new VolumeBuilder()
                .withName("tmp")
                .withNewEmptyDir()
                .withSizeLimit(new Quantity("64Mi"))
                .endEmptyDir()
                .build());
        if (work.target().hasSecret()) {
            volumes.add(Secrets.volume(Names.secret(work.target().cluster())));
        }
        String tlsSecret = work.target().tlsSecret();
        if (tlsSecret != null) {
            volumes.add(TlsVolume.volume(tlsSecret));
        }
        BackupPlace.Volume volume = work.place().volume();
        if (volume != null) {
            volumes.add(new VolumeBuilder()
                    .withName("backups")
                    .withNewPersistentVolumeClaim()
                    .withClaimName(volume.claimName())
                    .endPersistentVolumeClaim()
                    .build());
        }
        return volumes;
    }

    private static List<VolumeMount> mounts(Work work) {
        List<VolumeMount> mounts = new ArrayList<>();
        mounts.add(
                new VolumeMountBuilder().withName("tmp").withMountPath("/tmp").build());
        if (work.target().hasSecret()) {
            mounts.add(Secrets.mount());
        }
        if (work.target().tlsSecret() != null) {
            mounts.add(TlsVolume.mount());
        }
        if (work.place().volume() != null) {
            mounts.add(new VolumeMountBuilder()
                    .withName("backups")
                    .withMountPath(MOUNT)
                    .build());
        }
        return mounts;
    }
}
