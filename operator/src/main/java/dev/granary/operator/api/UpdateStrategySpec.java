package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import org.jspecify.annotations.Nullable;

/** How pods take a new template: image, memory, CPU, RDMA. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UpdateStrategySpec(
        @JsonPropertyDescription(
                "Whether pods keep the template that they have. The condition Progressing says which pods wait.")
        @Default("false")
        @Nullable
        Boolean paused,

        @JsonPropertyDescription(
                "How long the first pod with a new template is watched before the next one is replaced.")
        @Default("15")
        @Min(0)
        @Max(86400)
        @Nullable
        Integer canarySeconds,

        @JsonPropertyDescription(
                "How long a pod with a new template may take to become ready. One that takes longer, or that"
                        + " crashes, ends the update: all pods go back to the template that they had, and the condition Degraded"
                        + " says why, until something else is asked for or the annotation granary.dev/retry of the resource"
                        + " has a new value. Nodes that an autoscaler adds take one to two minutes.")
        @Default("180")
        @Min(10)
        @Max(86400)
        @Nullable
        Integer deadlineSeconds) {
    /** Default of {@code canarySeconds}. */
    public static final int CANARY_SECONDS = 15;

    /** Default of {@code deadlineSeconds}. */
    public static final int DEADLINE_SECONDS = 180;
}
