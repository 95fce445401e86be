package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import org.jspecify.annotations.Nullable;

/** The number of super-peers and the resources of each. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "!has(self.min) || !has(self.max) || self.min <= self.max",
        message = "superPeers.min must not be greater than superPeers.max")
public record SuperPeersSpec(
        @JsonPropertyDescription(
                "Super-peers for each storage peer: the number is share times storagePeers.replicas, rounded up,"
                        + " within min and max. Super-peers come onto the ring and leave it while the cluster works.")
        @Default("0.08")
        @ValidationRule(
                value = "self > 0.0 && self <= 1.0",
                message = "superPeers.share must be greater than 0 and at most 1, for instance 0.08")
        @Nullable
        Double share,

        @JsonPropertyDescription("The smallest number of super-peers, 1 to 9.")
        @Default("1")
        @ValidationRule(value = "self >= 1 && self <= 9", message = "superPeers.min must be from 1 to 9")
        @Nullable
        Integer min,

        @JsonPropertyDescription("The largest number of super-peers, 1 to 9.")
        @Default("9")
        @ValidationRule(value = "self >= 1 && self <= 9", message = "superPeers.max must be from 1 to 9")
        @Nullable
        Integer max,

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
                "CPU that a super-peer asks for. There is no CPU limit: throttling would show as latency.")
        @Default("\"100m\"")
        @ValidationRule(
                value = "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
                message = "superPeers.cpu must be a quantity above 0, such as 500m or 2")
        @Nullable
        Quantity cpu,

        @JsonPropertyDescription("The volume of a super-peer: its identity and its command log.")
        @Default("{\"size\": \"1Gi\"}")
        @Nullable
        SuperPeerVolumeSpec volume,

        @JsonPropertyDescription("What the pods of the super-peers get beside what the operator gives them.") @Nullable
        PodOverridesSpec pod) {
    /** The empty spec. */
    public static final SuperPeersSpec NONE = new SuperPeersSpec(null, null, null, null, null, null, null);
}
