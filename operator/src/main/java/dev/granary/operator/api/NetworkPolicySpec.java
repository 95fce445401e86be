package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who may connect to the pods of this cluster. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NetworkPolicySpec(
        @JsonPropertyDescription(
                "Whether the operator makes a NetworkPolicy: then only the cluster's own pods, the operator, clients and"
                        + " metricsFrom may connect. The network of the Kubernetes cluster must enforce such policies.")
        @Default("false")
        @Nullable
        Boolean enabled,

        @JsonPropertyDescription("Pods that may use the cluster. Left out: all pods of this namespace.") @Nullable
        List<Peer> clients,

        @JsonPropertyDescription("Pods that may read metrics, such as those of Prometheus. Left out: none.") @Nullable
        List<Peer> metricsFrom) {

    /** Pods, selected by their labels and those of their namespace. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Peer(
            @JsonPropertyDescription(
                    "Labels of their namespace, for instance kubernetes.io/metadata.name. Left out: this namespace; {}:"
                            + " every namespace.")
            @Nullable
            Map<String, String> namespaceLabels,

            @JsonPropertyDescription("Labels of the pods. Left out: all pods there.") @Nullable
            Map<String, String> podLabels) {}
}
