package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether the doors of a cluster know a user as its resource says. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UserStatus(
        @JsonPropertyDescription("The generation of the spec that this status is about.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("Ready: whether the doors are given the user as the spec says.") @Nullable
        List<Condition> conditions,

        @JsonPropertyDescription("Name of the user at the door.") @Nullable
        String user) {}
