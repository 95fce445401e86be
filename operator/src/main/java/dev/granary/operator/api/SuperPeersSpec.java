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
import org.jspecify.annotations.Nullable;

/** The number of super-peers and the resources of each. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "!has(self.min) || !has(self.max) || self.min <= self.max",
        message = "superPeers.min must not be greater than superPeers.max")
@ValidationRule(
        value = "!has(self.replicas) || ((!has(self.min) || self.min <= self.replicas)"
                + " && (!has(self.max) || self.replicas <= self.max))",
        message = "superPeers.replicas must be within superPeers.min and superPeers.max; leave out replicas to let the"
                + " operator choose within them")
public record SuperPeersSpec(
        @JsonPropertyDescription(
                "Number of super-peers, 1 to 9. Left out, the operator chooses: one for storagePeersEach storage peers,"
                        + " rounded up, within min and max. An odd number is best: a fourth super-peer keeps the ring alive"
                        + " through no more losses than three do. Super-peers come onto the ring and leave it while the"
                        + " cluster works.")
        @Min(1)
        @Max(9)
        @Nullable
        Integer replicas,

        @JsonPropertyDescription(
                "The smallest number that the operator chooses. Left out: 3 where there are three storage peers or more,"
                        + " so that the ring outlives the loss of any super-peer; 1 where there are fewer.")
        @Min(1)
        @Max(9)
        @Nullable
        Integer min,

        @JsonPropertyDescription("The largest number that the operator chooses.")
        @Default("9")
        @Min(1)
        @Max(9)
        @Nullable
        Integer max,

        @JsonPropertyDescription("Storage peers for each super-peer that the operator chooses.")
        @Default("12")
        @Min(1)
        @Max(32767)
        @Nullable
        Integer storagePeersEach,

        @JsonPropertyDescription("Memory of a super-peer's container: request and limit. The heap follows from it.")
        @Default("\"512Mi\"")
        @ValidationRule(
                value = "isQuantity(string(self))",
                message = "superPeers.memory must be a quantity such as 512Mi or 1Gi")
        @ValidationRule(
                value = "!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity('384Mi')) >= 0",
                message =
                        "superPeers.memory must be at least 384Mi: less leaves no room for the heap beside the JVM itself")
        @Nullable
        Quantity memory,

        @JsonPropertyDescription(
                "Other resources of a super-peer's container than its memory. A request for CPU that is left out is the"
                        + " limit for CPU, or 500m without one. Without a limit for CPU a super-peer is never throttled.")
        @ValidationRule(value = ResourceRules.NO_MEMORY, message = ResourceRules.NO_MEMORY_MESSAGE)
        @Nullable
        ResourceRequirements resources,

        @JsonPropertyDescription("The volume of a super-peer: its identity and its command log.")
        @Default("{\"size\": \"1Gi\"}")
        @Nullable
        SuperPeerVolumeSpec volume,

        @JsonPropertyDescription(
                "Whether the HTTP port shows the console, a page that shows the cluster to people and changes nothing,"
                        + " under /console/. Whoever reaches the port can read it.")
        @Default("false")
        @Nullable
        Boolean console,

        @JsonPropertyDescription("What the pods of the super-peers get beside what the operator gives them.") @Nullable
        PodOverridesSpec pod) {
    /** Default of {@code storagePeersEach}. */
    public static final int STORAGE_PEERS_EACH = 12;

    /** The most super-peers. */
    public static final int MOST = 9;

    /** The request for CPU when the resource says nothing about it. */
    public static final String CPU = "500m";

    /** The empty spec. */
    public static final SuperPeersSpec NONE = new SuperPeersSpec(null, null, null, null, null, null, null, null, null);
}
