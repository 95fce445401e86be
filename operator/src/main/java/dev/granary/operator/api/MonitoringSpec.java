package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
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

        @JsonPropertyDescription("How often metrics are read, in seconds.") @Default("15") @Min(1) @Max(3600) @Nullable
        Integer intervalSeconds) {
    /** Default of {@code intervalSeconds}. */
    public static final int INTERVAL_SECONDS = 15;
}
