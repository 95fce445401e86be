package dev.granary.operator.plan;

import dev.granary.operator.api.LoggingSpec;
import dev.granary.operator.api.MonitoringSpec;
import dev.granary.operator.api.NetworkPolicySpec;
import dev.granary.operator.api.PodOverridesSpec;
import dev.granary.operator.api.ServiceAccountSpec;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the builders need to know of one cluster, with every default decided.
 *
 * @param namespace the namespace of all objects
 * @param name the resource's name; objects are named after it ({@link Names})
 * @param uid the resource's uid, for owner references
 * @param image image of both roles
 * @param imagePullPolicy its pull policy
 * @param imagePullSecrets names of its pull secrets
 * @param superPeers the super-peers
 * @param storage the storage peers
 * @param copies the number of copies of chunks, and when changes are acknowledged
 * @param rdma the RDMA device of a storage peer, {@code null} when it is off
 * @param redis the doors of the storage peers, {@code null} when there are none
 * @param logging how the processes log
 * @param console whether super-peers show the console
 * @param access which other pods reach the pods, and how
 * @param usersAssigned whether the platform assigns the users of pods, as OpenShift does
 * @param hibernate whether the cluster is to hibernate
 * @param update how pods take a new template
 * @param serviceAccount what the ServiceAccount of the pods gets from the resource
 * @param retention what becomes of volumes that no pod needs any more
 * @param offeredImage the operator's image where the resource names none and the cluster keeps another one, else
 *     {@code null}
 * @param secret the secret by which nodes and administrators prove themselves, {@code null} when there is none: new
 *     clusters have one
 * @param hasPorts whether nodes and administrators have ports of their own: new clusters do
 * @param tls TLS of its connections, {@code null} when there is none
 * @param clusterId recorded cluster id; while it is {@code null} the first super-peer may make a cluster
 */
public record ClusterPlan(
        String namespace,
        String name,
        String uid,
        String image,
        String imagePullPolicy,
        List<String> imagePullSecrets,
        Role superPeers,
        Role storage,
        Copies copies,
        @Nullable Rdma rdma,
        @Nullable RedisPlan redis,
        Logging logging,
        boolean console,
        Access access,
        boolean usersAssigned,
        boolean hibernate,
        Update update,
        ServiceAccountSpec serviceAccount,
        Retention retention,
        @Nullable String offeredImage,
        @Nullable SecretPlan secret,
        boolean hasPorts,
        @Nullable TlsPlan tls,
        @Nullable String clusterId) {

    /** Whether the first super-peer may make a new cluster on an empty disk. */
    public boolean bootstrap() {
        return clusterId == null;
    }

    /** Returns the port at which every pod takes requests of administrators; 0 when it is that of clients. */
    public int adminPort() {
        return hasPorts ? Names.ADMIN_PORT : 0;
    }

    /** Whether nodes and administrators prove themselves by a secret. */
    public boolean hasSecret() {
        return secret != null;
    }

    /** Returns this plan with other roles. */
    public ClusterPlan with(Role newSuperPeers, Role newStorage) {
        return with(newSuperPeers, newStorage, secret);
    }

    /** Returns this plan with another phase of a change of the secret. */
    public ClusterPlan with(SecretPlan newSecret) {
        return with(superPeers, storage, newSecret);
    }

    private ClusterPlan with(Role newSuperPeers, Role newStorage, @Nullable SecretPlan newSecret) {
        return new ClusterPlan(
                namespace,
                name,
                uid,
                image,
                imagePullPolicy,
                imagePullSecrets,
                newSuperPeers,
                newStorage,
                copies,
                rdma,
                redis,
                logging,
                console,
                access,
                usersAssigned,
                hibernate,
                update,
                serviceAccount,
                retention,
                offeredImage,
                newSecret,
                hasPorts,
                tls,
                clusterId);
    }

    /**
     * How pods take a new template.
     *
     * @param paused whether pods wait with a new template
     * @param canarySeconds how long the first updated pod is watched
     * @param deadlineSeconds how long a pod may take to become ready before the template is rolled back
     * @param retry the try of a rejected template that a person has asked for, {@code null} for none
     */
    public record Update(
            boolean paused,
            int canarySeconds,
            int deadlineSeconds,
            @Nullable String retry) {}

    /**
     * What becomes of volumes that no pod needs any more, each {@code Retain} or {@code Delete}.
     *
     * @param whenDeleted when the resource is deleted
     * @param whenScaled when a storage peer was scaled in
     */
    public record Retention(String whenDeleted, String whenScaled) {}

    /**
     * How the processes log.
     *
     * @param format {@code json} or {@code text}
     * @param level the lowest level that is logged
     */
    public record Logging(String format, String level) {
        /** The default for resources that do not say. */
        public static final Logging DEFAULT = new Logging(LoggingSpec.FORMATS.getFirst(), LoggingSpec.LEVEL);
    }

    /**
     * One of the two roles.
     *
     * @param replicas number of pods to run now
     * @param wantedReplicas number of pods in the end; the operator goes there step by step
     * @param memory the memory plan of each pod
     * @param compute the other resources of each pod
     * @param volumeSize size that each volume should have
     * @param volumeTemplateSize size in the StatefulSet's volume template, which is fixed when the StatefulSet is made
     * @param storageClassName class of the volumes, {@code null} for the default
     * @param pods what the pods get from the resource
     * @param history the pod templates so far
     * @param keepsTemplate whether the present template stays for now, because another role takes its new one first
     * @param asleep whether no pod is to run now; {@code replicas} is then the number for the resumption
     * @param claim the volume template that exists and cannot change, {@code null} before there is one
     */
    public record Role(
            int replicas,
            int wantedReplicas,
            MemoryPlan memory,
            ComputePlan compute,
            String volumeSize,
            String volumeTemplateSize,
            @Nullable String storageClassName,
            PodOverridesSpec pods,
            TemplateHistory history,
            boolean keepsTemplate,
            boolean asleep,
            @Nullable PersistentVolumeClaim claim) {
        /** Returns this role with another number of pods to run now. */
        public Role withReplicas(int now) {
            return new Role(
                    now,
                    wantedReplicas,
                    memory,
                    compute,
                    volumeSize,
                    volumeTemplateSize,
                    storageClassName,
                    pods,
                    history,
                    keepsTemplate,
                    asleep,
                    claim);
        }

        /** Returns this role with other templates. */
        public Role withHistory(TemplateHistory other) {
            return with(other, keepsTemplate, asleep);
        }

        /** Returns this role with its template kept or not. */
        public Role keepingTemplate(boolean keeps) {
            return with(history, keeps, asleep);
        }

        /** Returns this role with its pods gone for a hibernation or not. */
        public Role sleeping(boolean sleeps) {
            return with(history, keepsTemplate, sleeps);
        }

        private Role with(TemplateHistory other, boolean keeps, boolean sleeps) {
            return new Role(
                    replicas,
                    wantedReplicas,
                    memory,
                    compute,
                    volumeSize,
                    volumeTemplateSize,
                    storageClassName,
                    pods,
                    other,
                    keeps,
                    sleeps,
                    claim);
        }

        /** Whether the present template stays. The first template is made anyway. */
        public boolean holdsTemplate() {
            return keepsTemplate && history.rendered() != null;
        }
    }

    /**
     * How chunks are copied (docs/guides/durability.md).
     *
     * @param backups number of other storage peers with a copy of each chunk; fewer while there are fewer other peers
     * @param durability when changes are acknowledged: {@code async}, {@code replicated} or {@code synced}
     * @param leaseSeconds length of leases on a ring of three or more
     */
    public record Copies(int backups, String durability, int leaseSeconds) {
        /** The most backups that are possible. */
        public static final int MAX_BACKUPS = 3;

        /** The longest possible lease. */
        public static final int MAX_LEASE_SECONDS = 60;

        /** How long leases are where super-peers are told nothing (ADR 0121). */
        private static final int LEASE_SECONDS_OF_PROCESSES = 3;

        /**
         * The default for resources that do not say. Leases are shorter than those of processes elsewhere, because
         * pods have a share of their processors (ADR 0345).
         */
        public static final Copies DEFAULT = new Copies(MAX_BACKUPS, "replicated", 1);

        /** The durability levels. */
        public static final List<String> LEVELS = List.of("async", "replicated", "synced");

        /** Returns whether super-peers have to be told how long leases are. */
        public boolean tellsLease() {
            return leaseSeconds != LEASE_SECONDS_OF_PROCESSES;
        }
    }

    /**
     * An RDMA device.
     *
     * @param resourceName name of the extended resource
     * @param count devices for each pod
     * @param nodeSelector labels of Kubernetes nodes that have the device
     * @param required whether a storage peer must not run without the device
     * @param granted whether the storage pods ask for the device
     * @param available devices of all Kubernetes nodes, {@code null} when the number is not known
     */
    public record Rdma(
            String resourceName,
            int count,
            Map<String, String> nodeSelector,
            boolean required,
            boolean granted,
            @Nullable Long available) {
        /** Returns what a pod template depends on, as a text. */
        public String fingerprint() {
            return "Rdma[resourceName=" + resourceName + ", count=" + count + ", nodeSelector=" + nodeSelector + "]";
        }
    }

    /**
     * How other pods reach the pods of the cluster.
     *
     * @param networkPolicy who may connect, {@code null} for everybody
     * @param podMonitor how Prometheus finds the pods, {@code null} when the resource does not ask for a PodMonitor
     * @param operatorNamespace where the operator runs, {@code null} when that is not known
     */
    public record Access(
            @Nullable NetworkPolicySpec networkPolicy,
            @Nullable MonitoringSpec podMonitor,
            @Nullable String operatorNamespace) {}
}
