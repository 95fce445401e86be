package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the operator sees. Counts of the cluster come from a super-peer; without an answer the last known ones stay. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GranaryStatus(
        @JsonPropertyDescription("The generation of the spec that this status is about.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription(
                "Ready, Progressing, Degraded, BackedUp, RestartRequired, RingSizeAsWanted, and RdmaReady where"
                        + " RDMA is asked for.")
        @Nullable
        List<Condition> conditions,

        @JsonPropertyDescription(
                "The cluster's id, minted once when its first super-peer bootstrapped. It never changes.")
        @Nullable
        String clusterId,

        @JsonPropertyDescription("The super-peers.") @Nullable
        SuperPeersStatus superPeers,

        @JsonPropertyDescription("The storage peers.") @Nullable
        StorageStatus storage,

        @JsonPropertyDescription("The ring of super-peers.") @Nullable
        RingStatus ring,

        @JsonPropertyDescription("The chunks of the whole cluster.") @Nullable
        ChunksStatus chunks,

        @JsonPropertyDescription("Short texts for kubectl get.") @Nullable
        SummaryStatus summary) {

    /** The super-peers. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SuperPeersStatus(
            @JsonPropertyDescription("Super-peers of this cluster; fixed when it was made.")
            int replicas,

            @JsonPropertyDescription("Super-peers whose pod is ready.")
            int ready,

            @JsonPropertyDescription("The number that share, min, max and storage.replicas ask for now.")
            int wanted,

            @JsonPropertyDescription("Pods that run an older template and take the new one when they are restarted.")
            @Nullable
            List<String> outdatedPods) {}

    /** The storage peers. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record StorageStatus(
            @JsonPropertyDescription("Storage pods that exist; the scale subresource reads it.") @StatusReplicas
            int replicas,

            @JsonPropertyDescription(
                    "Storage peers that the operator runs; more than spec.storage.replicas while a scale-in is"
                            + " refused.")
            int target,

            @JsonPropertyDescription("Storage peers that hold a lease.")
            int live,

            @JsonPropertyDescription("Selector of the storage pods; the scale subresource reads it.")
            @LabelSelector
            @Nullable
            String selector,

            @JsonPropertyDescription("What becomes of storage.memory in each storage peer.") @Nullable
            MemoryPlanStatus memoryPlan,

            @JsonPropertyDescription("Pods that run an older template and take the new one when they are restarted.")
            @Nullable
            List<String> outdatedPods) {}

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

            @JsonPropertyDescription("Storage peers that lost the chunks of an earlier start of theirs.")
            int peersWithLoss) {}

    /** Short texts for kubectl get. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SummaryStatus(
            @JsonPropertyDescription("Live storage peers of all, for instance 3/3.")
            String peers,

            @JsonPropertyDescription("Ready super-peers of all, for instance 1/1.")
            String superPeers,

            @JsonPropertyDescription("Memory for chunks, used of all, for instance 12Mi/5Gi.")
            String memory) {}
}
