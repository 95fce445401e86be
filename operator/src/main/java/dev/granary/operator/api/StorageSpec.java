package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;
import org.jspecify.annotations.Nullable;

/** The number of storage peers and the resources of each. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "!has(self.autoscaling) || !has(oldSelf.autoscaling) || self.replicas == oldSelf.replicas",
        message = "storagePeers.replicas does not count while storagePeers.autoscaling chooses the number: change"
                + " autoscaling.min and autoscaling.max, or remove autoscaling first")
public record StorageSpec(
        @JsonPropertyDescription(
                "Number of storage peers; kubectl scale sets it. A cluster without one would keep nothing. New peers take"
                        + " their share of the chunks. When there are to be fewer, everything leaves those with the highest ordinals before their pods go;"
                        + " setting the number back takes it back. With autoscaling it is the number to begin with, and"
                        + " cannot change.")
        @Default("3")
        @Min(1)
        @Max(32511)
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
                message =
                        "storagePeers.memory must be at least 512Mi: less leaves no room for chunks beside the JVM itself")
        @ValidationRule(
                value = "!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity('8Ti')) <= 0",
                message = "storagePeers.memory must be at most 8Ti: a chunk's address has 43 bits")
        @Nullable
        Quantity memory,

        @JsonPropertyDescription(
                "Other resources of a storage peer's container than its memory: limits, CPU, ephemeral storage, huge"
                        + " pages. A request for CPU that is left out is the limit for CPU, or 1 without one: a storage peer"
                        + " that gets less on a full node may lose its lease. Without a limit for CPU it is never throttled,"
                        + " which would show as latency. Small test machines ask for less, such as 100m.")
        @ValidationRule(value = ResourceRules.NO_MEMORY, message = ResourceRules.NO_MEMORY_MESSAGE)
        @Nullable
        ResourceRequirements resources,

        @JsonPropertyDescription("The volume of a storage peer: its identity, and the copies that it keeps for others.")
        @Default("{}")
        @Nullable
        StorageVolumeSpec volume,

        @JsonPropertyDescription(
                "On how many other storage peers each chunk has a copy beside its owner, if there are so many: with 3 it"
                        + " exists four times. With 0 a storage peer that crashes has lost its chunks. Cluster backups in a"
                        + " volume or in S3 are made by GranaryBackup.")
        @Default("3")
        @Min(0)
        @Max(3)
        @Nullable
        Integer copies,

        @JsonPropertyDescription(
                "When a change is answered, unless a request says otherwise: async (at once), replicated (all backups have"
                        + " it in memory) or synced (all backups have it on disk).")
        @Default("\"replicated\"")
        @Nullable
        String durability,

        @JsonPropertyDescription(
                "How long leases are while there are three super-peers or more, in seconds: so long at most a storage peer"
                        + " that died is waited for before others take over what it owned. A process or machine that stands"
                        + " still for longer is taken for dead. With fewer super-peers leases are 10 seconds long.")
        @Default("1")
        @Min(1)
        @Max(60)
        @Nullable
        Integer leaseSeconds,

        @JsonPropertyDescription("Lets fill and load decide how many storage peers there are, instead of replicas.")
        @Nullable
        AutoscalingSpec autoscaling,

        @JsonPropertyDescription("What the pods of the storage peers get beside what the operator gives them.")
        @Nullable
        PodOverridesSpec pod) {
    /** The request for CPU when the resource says nothing about it. */
    public static final String CPU = "1";

    /** The empty spec. */
    public static final StorageSpec NONE = new StorageSpec(null, null, null, null, null, null, null, null, null);
}
