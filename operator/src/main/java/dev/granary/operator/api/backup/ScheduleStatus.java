package dev.granary.operator.api.backup;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The results of the backups of a schedule. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScheduleStatus(
        @JsonPropertyDescription("The generation of the spec that this status is about.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("Ready: whether the last backup was finished.") @Nullable
        List<Condition> conditions,

        @JsonPropertyDescription("When a backup began last.") @Nullable
        String lastScheduleTime,

        @JsonPropertyDescription("When a backup was finished last.") @Nullable
        String lastSuccessfulTime) {}
