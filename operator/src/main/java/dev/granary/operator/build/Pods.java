package dev.granary.operator.build;

import dev.granary.operator.api.PodOverridesSpec;
import dev.granary.operator.certificate.Role;
import dev.granary.operator.observe.PodsView;
import dev.granary.operator.plan.ClusterPlan;
import dev.granary.operator.plan.MemoryPlan;
import dev.granary.operator.plan.Names;
import dev.granary.operator.plan.PodParts;
import dev.granary.operator.plan.SecretPlan;
import dev.granary.operator.plan.Sizes;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Lifecycle;
import io.fabric8.kubernetes.api.model.LifecycleBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The part of the pod template that both roles share, within the restricted pod security standard. */
final class Pods {
    static final String DATA_DIRECTORY = "/var/lib/granary";
    static final String DATA_VOLUME = "data";
    private static final String CONFIG_DIRECTORY = "/etc/granary";
    private static final String ZONE_DIRECTORY = "/etc/granary-zone";
    private static final String ZONE_FILE = "zone";

    private Pods() {}

    /**
     * What differs between the roles.
     *
     * @param component {@link Names#SUPER_PEER} or {@link Names#STORAGE}
     * @param command the program in the image
     * @param configFile its configuration file; {@code $(POD_NAME)} stands for the pod's name
     * @param rdma the RDMA device, {@code null} for none
     */
    record Kind(
            String component,
            String command,
            String configFile,
            int port,
            int httpPort,
            ClusterPlan.@Nullable Rdma rdma) {}

    static PodTemplateSpec template(ClusterPlan plan, ClusterPlan.Role role, Kind kind) {
        MemoryPlan memory = role.memory();
        PodTemplateSpec template = render(plan, role, kind, memory);
        if (memory.chunkBytes() > 0) {
            // The fingerprint does not depend on the memory: templates with the same fingerprint differ only in memory.
            PodTemplateSpec nominal = render(plan, role, kind, MemoryPlan.forStorage(MemoryPlan.MINIMUM_STORAGE_BYTES));
            Map<String, String> annotations = template.getMetadata().getAnnotations();
            annotations.put(Names.FINGERPRINT_ANNOTATION, TemplateInputs.hash(Serialization.asJson(nominal)));
            annotations.put(Names.MEMORY_MAX_ANNOTATION, Sizes.quantity(memory.maxLimitBytes()));
        }
        return template;
    }

    private static PodTemplateSpec render(ClusterPlan plan, ClusterPlan.Role role, Kind kind, MemoryPlan memory) {
        Map<String, String> annotations = new TreeMap<>();
        annotations.put("prometheus.io/scrape", "true");
        annotations.put("prometheus.io/port", Integer.toString(kind.httpPort()));
        annotations.put("prometheus.io/path", "/metrics");
        if (hasHttps(plan)) {
            annotations.put("prometheus.io/scheme", "https");
        }
        PodOverridesSpec pods = role.pods();
        PodParts parts = PodParts.of(kind.component(), pods);
        annotations.putAll(orEmpty(pods.annotations()));
        Map<String, String> labels = new TreeMap<>(orEmpty(pods.labels()));
        labels.putAll(Names.labels(plan.name(), kind.component()));
        labels.put(Names.GUARD_LABEL, "true");
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(labels)
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withServiceAccountName(Names.serviceAccount(plan.name()))
                .withAutomountServiceAccountToken(false)
                // Service links would put GRANARY_… variables of other Services into the process's configuration.
                .withEnableServiceLinks(false)
                .withTerminationGracePeriodSeconds(grace(pods))
                .withImagePullSecrets(plan.imagePullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList())
                .withNodeSelector(Placement.nodeSelector(pods, kind.rdma()))
                .withAffinity(Placement.affinity(plan, kind.component(), pods))
                .withTopologySpreadConstraints(Placement.spread(plan, kind.component(), pods))
                .withTolerations(pods.tolerations() == null ? List.of() : pods.tolerations())
                .withPriorityClassName(pods.priorityClassName())
                .withRuntimeClassName(pods.runtimeClassName())
                .withSchedulerName(pods.schedulerName())
                .withDnsPolicy(pods.dnsPolicy())
                .withDnsConfig(pods.dnsConfig())
                .withSecurityContext(RestrictedSecurity.pod(plan.usersAssigned(), pods.securityContext()))
                .withInitContainers(parts.initContainers())
                // The first container is the process; the operator looks there for image and memory.
                .withContainers(container(plan, role, kind, memory).build())
                .addAllToContainers(parts.sidecars())
                .withVolumes(volumes(plan, kind))
                .addAllToVolumes(parts.volumes())
                .endSpec()
                .build();
    }

    private static ContainerBuilder container(ClusterPlan plan, ClusterPlan.Role role, Kind kind, MemoryPlan memory) {
        Quantity limit = new Quantity(Sizes.quantity(memory.limitBytes()));
        Map<String, Quantity> requests = quantities(role.compute().requests());
        requests.put("memory", limit);
        Map<String, Quantity> limits = quantities(role.compute().limits());
        limits.put("memory", limit);
        boolean hasDoor = kind.component().equals(Names.STORAGE) && plan.redis() != null;
        ClusterPlan.Rdma rdma = kind.rdma();
        if (rdma != null) {
            Quantity devices = new Quantity(Integer.toString(rdma.count()));
            limits.put(rdma.resourceName(), devices);
            requests.put(rdma.resourceName(), devices);
        }
        return new ContainerBuilder()
                .withName(kind.component())
                .withImage(plan.image())
                .withImagePullPolicy(plan.imagePullPolicy())
                .withCommand(kind.command())
                .withArgs("--config", CONFIG_DIRECTORY + "/" + kind.configFile())
                .withEnv(environment(plan, role, kind, memory))
                .withPorts(ports(plan, kind, hasDoor))
                .withNewResources()
                .withRequests(requests)
                .withLimits(limits)
                .endResources()
                .withSecurityContext(RestrictedSecurity.container(
                        role.pods().containerSecurityContext(), rdma != null ? List.of("IPC_LOCK") : List.of()))
                // A restart costs a recovery, or chunks without copies. So liveness is slow to give up, and it is the
                // only probe that restarts a started pod.
                .withStartupProbe(probe(plan, "/healthz", 2, 60))
                .withLivenessProbe(probe(plan, "/healthz", 10, 6))
                .withReadinessProbe(probe(plan, "/readyz", 2, 2))
                .withLifecycle(hasDoor || kind.component().equals(Names.SUPER_PEER) ? serveUntilForgotten() : null)
                .withVolumeMounts(mounts(plan, kind))
                .addAllToVolumeMounts(
                        role.pods().volumeMounts() == null
                                ? List.of()
                                : role.pods().volumeMounts());
    }

    private static long grace(PodOverridesSpec pods) {
        Long asked = pods.terminationGracePeriodSeconds();
        return asked == null ? PodOverridesSpec.GRACE_SECONDS : Math.max(PodOverridesSpec.GRACE_SECONDS, asked);
    }

    private static Map<String, Quantity> quantities(Map<String, String> texts) {
        Map<String, Quantity> quantities = new TreeMap<>();
        texts.forEach((name, text) -> quantities.put(name, new Quantity(text)));
        return quantities;
    }

    /**
     * Clients of super-peers and of doors come through a Service, whose addresses take a moment to change. A stopping
     * process answers them until then.
     */
    private static Lifecycle serveUntilForgotten() {
        return new LifecycleBuilder()
                .withNewPreStop()
                .withNewExec()
                .withCommand("sleep", "3")
                .endExec()
                .endPreStop()
                .build();
    }

    /**
     * The environment of the process. Every process announces the pod's address when it starts. It does not announce a
     * name, because caches keep the address of a deleted pod under its name for up to 30 s (ADR 0130).
     */
    private static List<EnvVar> environment(ClusterPlan plan, ClusterPlan.Role role, Kind kind, MemoryPlan memory) {
        List<EnvVar> variables = new ArrayList<>(List.of(
                EnvVars.fromField("POD_NAME", "metadata.name"),
                EnvVars.fromField("POD_IP", "status.podIP"),
                EnvVars.of("GRANARY_NODE_NAME", "$(POD_NAME)"),
                EnvVars.of("GRANARY_ADVERTISE_HOST", "$(POD_IP)"),
                EnvVars.of("GRANARY_JVM_OPTIONS", memory.jvmOptions())));
        boolean isStorage = kind.component().equals(Names.STORAGE);
        variables.add(
                isStorage
                        ? EnvVars.of("GRANARY_DURABILITY", plan.copies().durability())
                        : EnvVars.of(
                                "GRANARY_ZONE_BACKUPS",
                                Integer.toString(plan.copies().backups())));
        if (!isStorage && plan.copies().tellsLease()) {
            variables.add(EnvVars.of("GRANARY_LEASE_DURATION", plan.copies().leaseSeconds() + "s"));
        }
        variables.addAll(Ports.environment(plan));
        if (plan.hasSecret()) {
            variables.add(EnvVars.of("GRANARY_CLUSTER_SECRET_FILE", Secrets.FILE));
        }
        if (plan.tls() != null) {
            variables.addAll(TlsVolume.environment(plan, plan.tls(), isStorage));
        }
        variables.addAll(logsAndConsole(plan, isStorage));
        if (isStorage && plan.redis() != null) {
            variables.addAll(RedisDoor.environment(plan, plan.redis().door()));
        }
        if (!isStorage) {
            variables.addAll(RedisDoor.superPeerEnvironment(plan));
        }
        if (isStorage) {
            variables.add(EnvVars.fromField("GRANARY_MACHINE_NAME", "spec.nodeName"));
            // From 1.35 on Kubernetes gives pods this label of their Kubernetes node. Without it the variable is
            // empty, and the file counts.
            variables.add(EnvVars.fromField("GRANARY_ZONE_NAME", "metadata.labels['topology.kubernetes.io/zone']"));
            variables.add(EnvVars.of("GRANARY_ZONE_FILE", ZONE_DIRECTORY + "/" + ZONE_FILE));
        }
        if (memory.chunkBytes() > 0) {
            variables.add(EnvVars.of("GRANARY_MEMORY_SIZE", Sizes.quantity(memory.chunkBytes())));
            variables.add(EnvVars.of("GRANARY_MEMORY_LIMIT", Sizes.quantity(memory.limitBytes())));
            variables.add(EnvVars.of("GRANARY_MEMORY_SIZE_MAX", Sizes.quantity(memory.maxChunkBytes())));
        }
        if (role.pods().env() != null) {
            variables.addAll(role.pods().env());
        }
        return variables;
    }

    /** How the process logs, and whether it shows the console. Defaults are left out, so that no template changes. */
    private static List<EnvVar> logsAndConsole(ClusterPlan plan, boolean isStorage) {
        List<EnvVar> variables = new ArrayList<>();
        ClusterPlan.Logging logging = plan.logging();
        if (!logging.format().equals(ClusterPlan.Logging.DEFAULT.format())) {
            variables.add(EnvVars.of("GRANARY_LOG_FORMAT", logging.format()));
        }
        if (!logging.level().equals(ClusterPlan.Logging.DEFAULT.level())) {
            variables.add(EnvVars.of("GRANARY_LOG_LEVEL", logging.level()));
        }
        if (!isStorage && plan.console()) {
            variables.add(EnvVars.of("GRANARY_CONSOLE", "true"));
        }
        return variables;
    }

    private static List<VolumeMount> mounts(ClusterPlan plan, Kind kind) {
        List<VolumeMount> mounts = new ArrayList<>(List.of(
                mount(DATA_VOLUME, DATA_DIRECTORY, null),
                mount("config", CONFIG_DIRECTORY, true),
                mount("tmp", "/tmp", null)));
        if (plan.hasSecret()) {
            mounts.add(Secrets.mount());
        }
        if (plan.tls() != null) {
            mounts.add(TlsVolume.mount());
        }
        if (kind.component().equals(Names.STORAGE)) {
            mounts.add(mount(Names.ZONE_VOLUME, ZONE_DIRECTORY, true));
            if (plan.redis() != null) {
                mounts.addAll(RedisDoor.mounts(plan.redis().door()));
            }
        } else {
            mounts.addAll(RedisDoor.superPeerMounts(plan));
        }
        return mounts;
    }

    /** The volumes; the volume of the data comes from a template of claims. */
    private static List<Volume> volumes(ClusterPlan plan, Kind kind) {
        List<Volume> volumes = new ArrayList<>(List.of(
                new VolumeBuilder()
                        .withName("config")
                        .withNewConfigMap()
                        .withName(Names.configMap(plan.name()))
                        .endConfigMap()
                        .build(),
                new VolumeBuilder()
                        .withName("tmp")
                        .withNewEmptyDir()
                        .withSizeLimit(new Quantity("64Mi"))
                        .endEmptyDir()
                        .build()));
        SecretPlan secret = plan.secret();
        if (secret != null) {
            volumes.add(Secrets.volume(Names.nodesSecret(plan.name(), secret.file())));
        }
        if (plan.tls() != null) {
            Role role = kind.component().equals(Names.STORAGE) ? Role.STORAGE : Role.SUPER_PEER;
            volumes.add(TlsVolume.volume(TlsVolume.secret(plan.name(), plan.tls(), role)));
        }
        if (kind.component().equals(Names.STORAGE)) {
            // A variable has the value of when the container starts; the operator knows the zone only after the pod has
            // a node. A file follows the annotation.
            volumes.add(new VolumeBuilder()
                    .withName(Names.ZONE_VOLUME)
                    .withNewDownwardAPI()
                    .addNewItem()
                    .withPath(ZONE_FILE)
                    .withNewFieldRef()
                    .withApiVersion("v1")
                    .withFieldPath("metadata.annotations['" + Names.ZONE_ANNOTATION + "']")
                    .endFieldRef()
                    .endItem()
                    .endDownwardAPI()
                    .build());
            if (plan.redis() != null) {
                volumes.addAll(RedisDoor.volumes(plan.redis().door()));
            }
        } else {
            volumes.addAll(RedisDoor.superPeerVolumes(plan));
        }
        return volumes;
    }

    private static List<ContainerPort> ports(ClusterPlan plan, Kind kind, boolean hasDoor) {
        List<ContainerPort> ports = new ArrayList<>(
                List.of(Ports.ofContainer("granary", kind.port()), Ports.ofContainer("http", kind.httpPort())));
        ports.addAll(Ports.ofContainers(plan));
        if (hasDoor) {
            ports.add(Ports.ofContainer(RedisDoor.PORT_NAME, Names.REDIS_PORT));
        }
        return ports;
    }

    private static VolumeMount mount(String volume, String path, @Nullable Boolean readOnly) {
        return new VolumeMountBuilder()
                .withName(volume)
                .withMountPath(path)
                .withReadOnly(readOnly)
                .build();
    }

    /** Whether the HTTP ports of a cluster's pods have TLS. */
    static boolean hasHttps(ClusterPlan plan) {
        return plan.tls() != null && plan.tls().http();
    }

    /** Asks a process how it is. The kubelet compares no certificate, and shows none. */
    private static Probe probe(ClusterPlan plan, String path, int periodSeconds, int failures) {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withPath(path)
                .withPort(new IntOrString("http"))
                .withScheme(hasHttps(plan) ? PodsView.HTTPS : "HTTP")
                .endHttpGet()
                .withPeriodSeconds(periodSeconds)
                .withTimeoutSeconds(2)
                .withFailureThreshold(failures)
                .build();
    }

    private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : map;
    }
}
