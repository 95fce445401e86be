package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** Chooses the number of storage peers by fill and load. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "self.min <= self.max",
        message = "storagePeers.autoscaling.min must not be greater than storagePeers.autoscaling.max")
public record AutoscalingSpec(
        @JsonPropertyDescription("The smallest number of storage peers.") @Required @Min(1) @Max(32511)
        Integer min,

        @JsonPropertyDescription("The largest number of storage peers.") @Required @Min(1) @Max(32511)
        Integer max,

        @JsonPropertyDescription(
                "How full the memory for chunks may be, in percent, before there are more storage peers.")
        @Default("70")
        @Min(10)
        @Max(90)
        @Nullable
        Integer targetFillPercent,

        @JsonPropertyDescription(
                "How often the chunks of a storage peer may be used a second before there are more; left out: fill"
                        + " alone decides.")
        @Min(1)
        @Nullable
        Long targetUsesPerSecond,

        @JsonPropertyDescription("How long more storage peers must be needed before there are more.")
        @Default("15")
        @Min(0)
        @Max(86400)
        @Nullable
        Integer scaleOutSeconds,

        @JsonPropertyDescription(
                "How long one storage peer less must be enough, with a fifth to spare, before there is one less.")
        @Default("300")
        @Min(0)
        @Max(86400)
        @Nullable
        Integer scaleInSeconds) {
    /** Default of {@code targetFillPercent}. */
    public static final int TARGET_FILL_PERCENT = 70;

    /** Default of {@code scaleOutSeconds}. */
    public static final int SCALE_OUT_SECONDS = 15;

    /** Default of {@code scaleInSeconds}. */
    public static final int SCALE_IN_SECONDS = 300;
}
