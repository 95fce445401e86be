package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import java.util.List;
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

        @JsonPropertyDescription(
                "Who may use the cluster, as in the ingress rules of a NetworkPolicy. Left out: all pods of this"
                        + " namespace; an empty list: nobody.")
        @Size(max = 64)
        @Nullable
        List<NetworkPolicyPeer> clients,

        @JsonPropertyDescription(
                "Who may read metrics, such as the pods of Prometheus, as in the ingress rules of a NetworkPolicy. Left"
                        + " out: nobody.")
        @Size(max = 64)
        @Nullable
        List<NetworkPolicyPeer> metricsFrom) {}
