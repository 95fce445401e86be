package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the operator sees. A super-peer gives the counts of the cluster; without an answer the last known ones stay. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GranaryStatus(
        @JsonPropertyDescription(
                "The generation of the spec that was applied last. While the newest spec cannot be applied it is an"
                        + " older one, and the condition Stalled or Reconciling says why.")
        @Nullable
        Long observedGeneration,

        @JsonPropertyDescription(
                "Ready, Progressing, Degraded, Balanced, Replicated, MemoryPressure, DiskPressure; Reconciling and Stalled,"
                        + " by which other tools tell whether the spec is applied; Headroom where there are copies, RdmaReady"
                        + " where RDMA is not disabled, Monitored where a PodMonitor is asked for, VolumesGrown where"
                        + " volumes are to be larger than they were made, CertificatesValid where there is TLS, UpdateAvailable where the operator has another"
                        + " image than the cluster, Paused while spec.paused is true.")
        @Nullable
        List<Condition> conditions,

        @JsonPropertyDescription(
                "The cluster's id, minted once when its first super-peer bootstrapped. It never changes.")
        @Nullable
        String clusterId,

        @JsonPropertyDescription("The version of the super-peers, as they tell it.") @Nullable
        String version,

        @JsonPropertyDescription("The image that new pods of the cluster run.") @Nullable
        String image,

        @JsonPropertyDescription("Where clients reach the cluster.") @Nullable
        EndpointsStatus endpoints,

        @JsonPropertyDescription("The super-peers.") @Nullable
        SuperPeersStatus superPeers,

        @JsonPropertyDescription("The storage peers.") @Nullable
        StorageStatus storagePeers,

        @JsonPropertyDescription("The ring of super-peers.") @Nullable
        RingStatus ring,

        @JsonPropertyDescription("The chunks of the whole cluster.") @Nullable
        ChunksStatus chunks,

        @JsonPropertyDescription("Pods that go or are replaced, and how far that is.") @Nullable
        List<StopStatus> stops,

        @JsonPropertyDescription("How far the cluster is on its way to sleep or back; left out when it is awake.")
        @Nullable
        HibernationStatus hibernation,

        @JsonPropertyDescription("The certificates of the cluster; left out where there is no TLS.") @Nullable
        TlsStatus tls,

        @JsonPropertyDescription("The secret of the cluster's nodes and administrators; left out where there is none.")
        @Nullable
        SecretStatus secret,

        @JsonPropertyDescription(
                "Volumes of pods that the cluster does not run any more; left out when there are none.")
        @Nullable
        UnusedVolumesStatus unusedVolumes,

        @JsonPropertyDescription("Short texts for kubectl get.") @Nullable
        SummaryStatus summary) {

    /** Volumes that no pod needs. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record UnusedVolumesStatus(
            @JsonPropertyDescription("How many there are.") int count,

            @JsonPropertyDescription(
                    "The first twenty of them. A pod that comes back takes its own again; without a use for it delete the"
                            + " claim.")
            List<UnusedVolumeStatus> volumes) {
        /** The most volumes that are named. */
        public static final int MOST = 20;
    }

    /** A volume that no pod needs. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record UnusedVolumeStatus(
            @JsonPropertyDescription("Name of the PersistentVolumeClaim.")
            String claim,

            @JsonPropertyDescription("Size of the volume.") @Nullable
            String size) {}

    /** The certificates of a cluster with TLS. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record TlsStatus(
            @JsonPropertyDescription(
                    "Steady; Trusting (a new CA is trusted and issues nothing yet) or Issuing (the new CA issues, and the"
                            + " former one is still trusted) while the CA changes; External where somebody else issues,"
                            + " ExpiresSoon where that is late.")
            String step,

            @JsonPropertyDescription("When the CA that issues ends; left out where somebody else issues.") @Nullable
            String caNotAfter,

            @JsonPropertyDescription("When the first of the certificates that the operator sees ends.")
            String certificatesNotAfter,

            @JsonPropertyDescription("What is waited for, or what you can do.")
            String message) {
        /** The step when somebody else has not renewed the operator's certificate in time. */
        public static final String EXPIRES_SOON = "ExpiresSoon";
    }

    /** The secret of the nodes and administrators of a cluster. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SecretStatus(
            @JsonPropertyDescription(
                    "Steady; while it is changed Accepting (pods get the new secret and accept it), Proving (they prove"
                            + " themselves by the new one and still accept the old one) or Ending (they forget the old"
                            + " one).")
            String phase,

            @JsonPropertyDescription("Name of the Secret that administrators mount; it never changes.")
            String name,

            @JsonPropertyDescription("Name of the Secret that pods with the newest template mount.")
            String nodesName,

            @JsonPropertyDescription(
                    "A second record of the annotation granary.dev/secret of the StatefulSets: how many changes have"
                            + " ended, the phase, and which value of granary.dev/change-secret was followed.")
            String record,

            @JsonPropertyDescription("What is waited for, or what you can do.")
            String message) {}

    /** The addresses of the cluster. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record EndpointsStatus(
            @JsonPropertyDescription("Host and port for clients, within the Kubernetes cluster.")
            String client,

            @JsonPropertyDescription("The URL under which super-peers show status and metrics.")
            String http,

            @JsonPropertyDescription(
                    "Host and port for clients of Redis, within the Kubernetes cluster; left out where there are no"
                            + " doors.")
            @Nullable
            String redis,

            @JsonPropertyDescription(
                    "The cluster address of the Service for clients. A deleted Service is created again with it.")
            @Nullable
            String clientAddress,

            @JsonPropertyDescription("The cluster address of the Service for clients of Redis, likewise.") @Nullable
            String redisAddress) {}

    /** The progress of a hibernation or of a resumption. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record HibernationStatus(
            @JsonPropertyDescription(
                    "RefusingChanges (until what was taken is on all backups), WritingMemory (to the volumes),"
                            + " StoppingPods, Asleep, or Waking.")
            String phase,

            @JsonPropertyDescription("What is waited for, or what you can do.")
            String message,

            @JsonPropertyDescription("When this phase began.")
            String since) {}

    /** The super-peers. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SuperPeersStatus(
            @JsonPropertyDescription("Super-peers that the operator runs now.")
            int replicas,

            @JsonPropertyDescription("Super-peers whose pod is ready.")
            int ready,

            @JsonPropertyDescription("The number that the spec asks for now.")
            int wanted,

            @JsonPropertyDescription("Pods that run an older template.") @Nullable
            List<String> outdatedPods) {}

    /** The storage peers. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record StorageStatus(
            @JsonPropertyDescription("Storage pods that exist; the scale subresource reads it.") @StatusReplicas
            int replicas,

            @JsonPropertyDescription(
                    "Storage peers that the operator runs now; more than are asked for until those that go own nothing.")
            int target,

            @JsonPropertyDescription("Storage peers that hold a lease.")
            int live,

            @JsonPropertyDescription("What storagePeers.autoscaling says.") @Nullable
            AutoscalerStatus autoscaler,

            @JsonPropertyDescription("Selector of the storage pods; the scale subresource reads it.")
            @LabelSelector
            @Nullable
            String selector,

            @JsonPropertyDescription("What becomes of storagePeers.memory in each storage peer.") @Nullable
            MemoryPlanStatus memoryPlan,

            @JsonPropertyDescription("Pods that run an older template.") @Nullable
            List<String> outdatedPods) {}

    /** The answer of the autoscaler. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record AutoscalerStatus(
            @JsonPropertyDescription("Storage peers that there are to be.")
            int replicas,

            @JsonPropertyDescription("How full the memory for chunks is.")
            int fillPercent,

            @JsonPropertyDescription("How often the chunks of a storage peer are used, on average.")
            long usesPerSecond,

            @JsonPropertyDescription("Since when more would be needed.") @Nullable
            String moreSince,

            @JsonPropertyDescription("Since when one less would be enough.") @Nullable
            String lessSince) {}

    /** The memory plan of a storage peer, as quantities. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record MemoryPlanStatus(
            @JsonPropertyDescription("Memory limit of the container.")
            String limit,

            @JsonPropertyDescription("Java heap.") String heap,

            @JsonPropertyDescription("Direct memory: network buffers.")
            String direct,

            @JsonPropertyDescription(
                    "Reserve for the JVM itself: classes, compiled code, stacks, the collector's tables.")
            String jvm,

            @JsonPropertyDescription("The area for chunks and their tables.")
            String chunks) {}

    /** The ring of super-peers. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record RingStatus(
            @JsonPropertyDescription("Super-peers on the ring.")
            int size,

            @JsonPropertyDescription("Super-peers that belong on the ring.")
            int expectedSize,

            @JsonPropertyDescription("Super-peers that the ring itself would choose for its storage peers.")
            int recommendedSize,

            @JsonPropertyDescription("Whether all super-peers are on the ring.")
            boolean complete,

            @JsonPropertyDescription("Epoch of the ring: it grows with every change.")
            long epoch) {}

    /** The chunks of the whole cluster. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ChunksStatus(
            @JsonPropertyDescription("Number of chunks.") long count,

            @JsonPropertyDescription("Bytes of payload.") long payloadBytes,

            @JsonPropertyDescription("Bytes of bookkeeping.")
            long bookkeepingBytes,

            @JsonPropertyDescription("Bytes in use for chunks and their tables.")
            long usedBytes,

            @JsonPropertyDescription("Bytes that there are for chunks and their tables.")
            long capacityBytes,

            @JsonPropertyDescription("Storage peers that lost chunks of an earlier start of theirs: there was no copy.")
            int peersWithLoss,

            @JsonPropertyDescription("Ranges of chunk identifiers with one placement each.")
            long ranges,

            @JsonPropertyDescription(
                    "By name of a storage peer that was stopped as planned: chunks with a LID below it left it before.")
            @Nullable
            Map<String, Long> plannedBelow,

            @JsonPropertyDescription(
                    "When these were counted: at most once a minute. All but capacityBytes and peersWithLoss are rounded"
                            + " to three digits.")
            @Nullable
            String countedAt) {}

    /** A pod that goes or is replaced. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record StopStatus(
            @JsonPropertyDescription("Name of the pod.") String pod,

            @JsonPropertyDescription("NID of its peer; empty when it has none.")
            String nid,

            @JsonPropertyDescription("Why: ScaleIn, Update, NodeCordoned or Requested.")
            String reason,

            @JsonPropertyDescription(
                    "Waiting (another one is first), Draining (what it has moves to others), Growing (it stays, and"
                            + " gets more memory), Released (it owns nothing and may go) or Blocked (it cannot go on without"
                            + " help).")
            String phase,

            @JsonPropertyDescription("What is waited for, or what you can do.")
            String message,

            @JsonPropertyDescription("When this phase began.") @Nullable
            String since,

            @JsonPropertyDescription("Payload that moves.") @Nullable
            String bytes,

            @JsonPropertyDescription("Of these, what has moved.") @Nullable
            String bytesDone,

            @JsonPropertyDescription("Storage peers that take it.") @Nullable
            List<String> destinations,

            @JsonPropertyDescription("Seconds that it will take at the speed so far.") @Nullable
            Long secondsLeft) {}

    /** Short texts for kubectl get. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SummaryStatus(
            @JsonPropertyDescription("Live storage peers of all, for instance 3/3.")
            String peers,

            @JsonPropertyDescription("Ready super-peers of all, for instance 1/1.")
            String superPeers,

            @JsonPropertyDescription("Memory for chunks, used of all, for instance 12Mi/5Gi.")
            String memory,

            @JsonPropertyDescription("What is wrong or goes on, in words; the most important condition.")
            String message) {}
}
