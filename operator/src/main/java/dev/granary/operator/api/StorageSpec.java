package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;
import org.jspecify.annotations.Nullable;

/** The number of storage peers and the resources of each. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StorageSpec(
        @JsonPropertyDescription(
                "Number of storage peers; kubectl scale sets it. New peers take their share of the chunks. When there"
                        + " are to be fewer, everything leaves those with the highest ordinals before their pods go;"
                        + " setting the number back takes it back. With autoscaling it is the number to begin with.")
        @Default("3")
        @ValidationRule(
                value = "self >= 1 && self <= 32767",
                message = "storagePeers.replicas must be from 1 to 32767: a cluster without a storage peer keeps nothing")
        @SpecReplicas
        @Nullable
        Integer replicas,

        @JsonPropertyDescription(
                "The one memory number of a storage peer: request and limit of its container. Heap, network"
                        + " buffers and the area for chunks follow from it; status.storagePeers.memoryPlan shows how. More"
                        + " of it, up to where the area for chunks has doubled, is given to pods while they run where"
                        + " Kubernetes can do that (1.33 and newer); any other change replaces them.")
        @Default("\"2Gi\"")
        @ValidationRule(
                value = "isQuantity(string(self))",
                message = "storagePeers.memory must be a quantity such as 512Mi or 2Gi")
        @ValidationRule(
                value = "!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity('512Mi')) >= 0",
                message = "storagePeers.memory must be at least 512Mi: less leaves no room for chunks beside the JVM itself")
        @ValidationRule(
                value = "!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity('8Ti')) <= 0",
                message = "storagePeers.memory must be at most 8Ti: a chunk's address has 43 bits")
        @Nullable
        Quantity memory,

        @JsonPropertyDescription(
                "CPU that a storage peer asks for. There is no CPU limit: throttling would show as latency.")
        @Default("\"100m\"")
        @ValidationRule(
                value = "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
                message = "storagePeers.resources must be a quantity above 0, such as 500m or 2")
        @Nullable
        Quantity cpu,

        @JsonPropertyDescription("The volume of a storage peer: its identity, and the copies that it keeps for others.")
        @Default("{\"size\": \"10Gi\"}")
        @Nullable
        StorageVolumeSpec volume,

        @JsonPropertyDescription(
                "On how many other storage peers each chunk has a copy, if there are so many; with 0 a storage peer that"
                        + " crashes has lost its chunks.")
        @Default("3")
        @ValidationRule(
                value = "self >= 0 && self <= 3",
                message = "storagePeers.copies must be from 0 to 3: so many other storage peers keep a copy of each chunk")
        @Nullable
        Integer copies,

        @JsonPropertyDescription(
                "When a change is answered, unless a request says otherwise: async (at once), replicated (all backups have"
                        + " it in memory) or synced (all backups have it on disk).")
        @Default("\"replicated\"")
        @ValidationRule(
                value = "self in ['async', 'replicated', 'synced']",
                message = "storagePeers.durability must be async, replicated or synced")
        @Nullable
        String durability,

        @JsonPropertyDescription(
                "How long leases are while there are three super-peers or more, in seconds: so long at most a storage peer"
                        + " that died is waited for before others take over what it owned. A process or machine that stands"
                        + " still for longer is taken for dead. With fewer super-peers leases are 10 seconds long.")
        @Default("3")
        @ValidationRule(value = "self >= 1 && self <= 60", message = "storagePeers.leaseSeconds must be from 1 to 60")
        @Nullable
        Integer leaseSeconds,

        @JsonPropertyDescription("Lets fill and load decide how many storage peers there are, instead of replicas.")
        @Nullable
        AutoscalingSpec autoscaling,

        @JsonPropertyDescription("What the pods of the storage peers get beside what the operator gives them.")
        @Nullable
        PodOverridesSpec pod) {
    /** The empty spec. */
    public static final StorageSpec NONE = new StorageSpec(null, null, null, null, null, null, null, null, null);
}
