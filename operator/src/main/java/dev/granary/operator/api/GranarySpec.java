package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the user asks for. Everything has a default, so that an empty spec is a cluster. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GranarySpec(
        @JsonPropertyDescription("The super-peers: the processes that know who owns what, and watch the storage peers.")
        @Default("{}")
        @Nullable
        SuperPeersSpec superPeers,

        @JsonPropertyDescription("The storage peers: the processes that own the chunks.") @Default("{}") @Nullable
        StorageSpec storage,

        @JsonPropertyDescription(
                "Copies of the chunks on other peers. This version keeps every chunk once, in RAM, and has"
                        + " no backups yet: the values are recorded for the version that has them, and the condition BackedUp is"
                        + " False until then.")
        @Default("{}")
        @Nullable
        BackupsSpec backups,

        @JsonPropertyDescription("RDMA devices for the storage peers.") @Default("{}") @Nullable
        RdmaSpec rdma,

        @JsonPropertyDescription(
                "Image of the super-peers and storage peers. The operator's own setting when left out.")
        @ValidationRule(
                value = "self.size() > 0",
                message = "image must not be empty; leave it out for the operator's image")
        @Nullable
        String image,

        @JsonPropertyDescription(
                "When the image is pulled: Always, IfNotPresent or Never. The operator's own setting when"
                        + " left out.")
        @ValidationRule(
                value = "self in ['Always', 'IfNotPresent', 'Never']",
                message = "imagePullPolicy must be Always, IfNotPresent or Never")
        @Nullable
        String imagePullPolicy,

        @JsonPropertyDescription(
                "Names of the Secrets with which the image is pulled, in the namespace of this resource.")
        @Nullable
        List<String> imagePullSecrets) {}
