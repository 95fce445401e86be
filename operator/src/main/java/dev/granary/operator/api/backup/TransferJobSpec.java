package dev.granary.operator.api.backup;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import org.jspecify.annotations.Nullable;

/** The resources and the time of the Job that makes or restores a cluster backup. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransferJobSpec(
        @JsonPropertyDescription("Request and limit of the memory of its pod. Chunks stream through it.")
        @Default("\"1Gi\"")
        @ValidationRule(
                value = "isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('256Mi')) >= 0",
                message = "job.memory must be a quantity of at least 256Mi, such as 1Gi")
        @Nullable
        Quantity memory,

        @JsonPropertyDescription("CPU that its pod asks for. There is no CPU limit.")
        @Default("\"100m\"")
        @ValidationRule(
                value = "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
                message = "job.cpu must be a quantity above 0, such as 500m or 2")
        @Nullable
        Quantity cpu,

        @JsonPropertyDescription("How long it may take with all its attempts, before it has failed.")
        @Default("86400")
        @ValidationRule(
                value = "self >= 60 && self <= 31536000",
                message = "job.deadlineSeconds must be from 60 to 31536000")
        @Nullable
        Long deadlineSeconds,

        @JsonPropertyDescription(
                "How long it stays with its pods and their logs once it is over; left out: as long as this resource.")
        @ValidationRule(
                value = "self >= 300 && self <= 31536000",
                message =
                        "job.ttlSecondsAfterFinished must be from 300 to 31536000: the operator must have seen its end")
        @Nullable
        Integer ttlSecondsAfterFinished) {
    /** Default of {@code memory}. */
    public static final String MEMORY = "1Gi";

    /** Default of {@code cpu}. */
    public static final String CPU = "100m";

    /** Default of {@code deadlineSeconds}: a backup that hangs must not keep a schedule from the next ones for ever. */
    public static final long DEADLINE_SECONDS = 86_400;

    /** The defaults. */
    public static final TransferJobSpec DEFAULT = new TransferJobSpec(null, null, null, null);
}
