package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How Prometheus finds the pods of this cluster. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MonitoringSpec(
        @JsonPropertyDescription(
                "Whether the operator makes a PodMonitor for this cluster. It needs the CRDs of the Prometheus operator;"
                        + " the condition Monitored says when they are missing. Not together with the chart's podMonitor,"
                        + " which is for all clusters.")
        @Default("false")
        @Nullable
        Boolean podMonitor,

        @JsonPropertyDescription("Labels of the PodMonitor, by which a Prometheus selects it.") @Nullable
        Map<String, String> labels,

        @JsonPropertyDescription("How often metrics are read, for instance 15s.")
        @Default("\"15s\"")
        @ValidationRule(
                value = "self.matches('^[0-9]+(ms|s|m)$')",
                message = "monitoring.interval must be a time such as 15s")
        @Nullable
        String interval) {}
