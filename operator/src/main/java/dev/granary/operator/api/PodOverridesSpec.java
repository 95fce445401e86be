package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodDNSConfig;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the pods of a role get in addition to what the operator gives them. A change replaces the pods one at a time, as
 * any change of a template does.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PodOverridesSpec(
        @JsonPropertyDescription(
                "More labels of the pods. Those under granary.dev and app.kubernetes.io are the operator's own.")
        @ValidationRule(
                value = "self.all(key, !key.startsWith('granary.dev/') && !key.startsWith('app.kubernetes.io/'))",
                message = "pod.labels must not be under granary.dev/ or app.kubernetes.io/: the operator finds its pods"
                        + " by these")
        @Nullable
        Map<String, String> labels,

        @JsonPropertyDescription(
                "More annotations of the pods; one of the operator's own, such as prometheus.io/scrape, is replaced."
                        + " Those under granary.dev are the operator's.")
        @ValidationRule(
                value = "self.all(key, !key.startsWith('granary.dev/'))",
                message = "pod.annotations must not be under granary.dev/: they steer the operator")
        @Nullable
        Map<String, String> annotations,

        @JsonPropertyDescription(
                "Labels that a node must have. For storage peers those of rdma.nodeSelector are added.")
        @Nullable
        Map<String, String> nodeSelector,

        @JsonPropertyDescription("Taints of nodes that the pods tolerate.") @Nullable
        List<Toleration> tolerations,

        @JsonPropertyDescription(
                "Affinity of the pods. A podAntiAffinity here takes the place of the one that antiAffinity makes.")
        @Nullable
        Affinity affinity,

        @JsonPropertyDescription(
                "preferred: pods of the role are put on different nodes where that is possible. required: never two on"
                        + " one node; a pod that finds no node of its own stays Pending.")
        @Default("\"preferred\"")
        @Nullable
        String antiAffinity,

        @JsonPropertyDescription(
                "How the pods are spread. Left out: over nodes and zones, as far as possible. A constraint without a"
                        + " labelSelector is about the pods of the role.")
        @Nullable
        List<TopologySpreadConstraint> topologySpreadConstraints,

        @JsonPropertyDescription(
                "Priority class of the pods. Without one, pods of any class with a higher priority may push them from"
                        + " a full node.")
        @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")
        @Nullable
        String priorityClassName,

        @JsonPropertyDescription(
                "More environment variables of the container, such as those of a proxy. Jobs of backups have those of the"
                        + " super-peers. Those under GRANARY_ and POD_ are the operator's.")
        @Size(max = 64)
        @ValidationRule(
                value = "self.all(one, !one.name.startsWith('GRANARY_') && !one.name.startsWith('POD_'))",
                message = "pod.env must not have names that begin with GRANARY_ or POD_: the operator sets these")
        @Nullable
        List<EnvVar> env,

        @JsonPropertyDescription("More volumes of the pods, as in pod.spec.volumes.")
        @Size(max = 64)
        @ValidationRule(
                value = "self.all(one, !(one.name in ['data', 'config', 'tmp', 'zone', 'cluster-secret', 'tls',"
                        + " 'redis-users']))",
                message =
                        "pod.volumes must not be named data, config, tmp, zone, cluster-secret, tls or redis-users: these"
                                + " are the operator's volumes")
        @Nullable
        List<Map<String, Object>> volumes,

        @JsonPropertyDescription("Where the container has them. For sidecars say it in the sidecar.")
        @Size(max = 64)
        @ValidationRule(
                value = "self.all(one, !one.mountPath.startsWith('/etc/granary')"
                        + " && !one.mountPath.startsWith('/var/lib/granary')"
                        + " && !one.mountPath.startsWith('/opt/granary'))",
                message =
                        "pod.volumeMounts must not be in /etc/granary, /var/lib/granary or /opt/granary: these are the"
                                + " operator's and the image's")
        @Nullable
        List<VolumeMount> volumeMounts,

        @JsonPropertyDescription(
                "More containers of the pods, as in pod.spec.containers. A pod is ready only when they are.")
        @Size(max = 16)
        @ValidationRule(
                value = "self.all(one, !(one.name in ['super-peer', 'storage']))",
                message = "pod.sidecars must not be named super-peer or storage: these are the operator's containers")
        @Nullable
        List<Map<String, Object>> sidecars,

        @JsonPropertyDescription(
                "Containers that run before the others, as in pod.spec.initContainers; with restartPolicy: Always also"
                        + " beside them.")
        @Size(max = 16)
        @ValidationRule(
                value = "self.all(one, !(one.name in ['super-peer', 'storage']))",
                message =
                        "pod.initContainers must not be named super-peer or storage: these are the operator's containers")
        @Nullable
        List<Map<String, Object>> initContainers,

        @JsonPropertyDescription(
                "Security context of the pods. Its fields take the place of the operator's, which are within the restricted"
                        + " pod security standard. The Jobs of backups have it, too.")
        @Nullable
        PodSecurityContext securityContext,

        @JsonPropertyDescription("Security context of the container, likewise; not of sidecars.") @Nullable
        SecurityContext containerSecurityContext,

        @JsonPropertyDescription(
                "How long a pod may take to end, 30 when left out. A process needs no more: its pod goes only after it has"
                        + " handed over what it has. Sidecars may.")
        @Min(30)
        @Max(3600)
        @Nullable
        Long terminationGracePeriodSeconds,

        @JsonPropertyDescription("RuntimeClass of the pods.")
        @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")
        @Size(max = 253)
        @Nullable
        String runtimeClassName,

        @JsonPropertyDescription("Who puts the pods on nodes; the cluster's default scheduler when left out.")
        @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")
        @Size(max = 253)
        @Nullable
        String schedulerName,

        @JsonPropertyDescription("How the pods resolve names: ClusterFirst when left out. None needs dnsConfig.")
        @Nullable
        String dnsPolicy,

        @JsonPropertyDescription("Servers, domains and options for the names that the pods resolve.") @Nullable
        PodDNSConfig dnsConfig) {

    /** No overrides. */
    public static final PodOverridesSpec NONE = new PodOverridesSpec(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
            null, null);

    /** How long a pod may take to end, in seconds, unless the resource says otherwise. */
    public static final long GRACE_SECONDS = 30;

    /** The value of {@code antiAffinity} that keeps two pods of a role from running on one Kubernetes node. */
    public static final String REQUIRED = "required";

    /** Whether all values are the defaults. */
    public boolean changesNothing() {
        PodOverridesSpec other = new PodOverridesSpec(
                labels,
                annotations,
                nodeSelector,
                tolerations,
                affinity,
                REQUIRED.equals(antiAffinity) ? antiAffinity : null,
                topologySpreadConstraints,
                priorityClassName,
                env,
                volumes,
                volumeMounts,
                sidecars,
                initContainers,
                securityContext,
                containerSecurityContext,
                terminationGracePeriodSeconds,
                runtimeClassName,
                schedulerName,
                dnsPolicy,
                dnsConfig);
        return other.equals(NONE);
    }
}
