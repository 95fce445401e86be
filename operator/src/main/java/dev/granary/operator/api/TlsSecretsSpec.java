package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/** Secrets of the type kubernetes.io/tls whose certificates somebody else issues and renews. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record TlsSecretsSpec(
        @JsonPropertyDescription("The Secret of the super-peers: a certificate with the role super-peer.") @Required
        Reference superPeers,

        @JsonPropertyDescription("The Secret of the storage peers: a certificate with the role storage.") @Required
        Reference storagePeers,

        @JsonPropertyDescription(
                "The Secret with which the operator administers the cluster, and Jobs back it up: a certificate with the"
                        + " role operator.")
        @Required
        Reference operator,

        @JsonPropertyDescription(
                "The Secret that Prometheus shows to the HTTP ports where tls.http is true: a certificate with the role"
                        + " monitor.")
        @Nullable
        Reference monitor) {}
