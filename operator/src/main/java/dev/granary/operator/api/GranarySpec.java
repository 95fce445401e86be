package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The wish of the user. Every field has a default, so an empty spec describes a cluster. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GranarySpec(
        @JsonPropertyDescription("The super-peers: the processes that know who owns what, and watch the storage peers.")
        @Default("{}")
        @Nullable
        SuperPeersSpec superPeers,

        @JsonPropertyDescription("The storage peers: the processes that own the chunks.") @Default("{}") @Nullable
        StorageSpec storagePeers,

        @JsonPropertyDescription("RDMA devices for the storage peers.") @Default("{}") @Nullable
        RdmaSpec rdma,

        @JsonPropertyDescription(
                "How pods take a new template: one after the other, each storage peer only after everything"
                        + " it had has moved to the others, the first one watched for a while.")
        @Default("{}")
        @Nullable
        UpdateStrategySpec updateStrategy,

        @JsonPropertyDescription(
                "Puts the whole cluster to sleep: changes are refused, every storage peer writes its memory to its volume,"
                        + " and only when all have, all pods go; the volumes stay. Set back to false, the cluster goes on"
                        + " where it was. The volumes need room for what the memory has in use.")
        @Default("false")
        @Nullable
        Boolean hibernate,

        @JsonPropertyDescription("How Prometheus finds the pods.") @Nullable
        MonitoringSpec monitoring,

        @JsonPropertyDescription("Who may connect to the pods; left out: everybody.") @Nullable
        NetworkPolicySpec networkPolicy,

        @JsonPropertyDescription(
                "Image of the super-peers and storage peers. When left out a new cluster gets the operator's own"
                        + " setting, and keeps it until an image is named here: an upgrade of the operator restarts no pod.")
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
        List<String> imagePullSecrets) {
    /** The empty spec. */
    public static final GranarySpec NONE = new GranarySpec(null, null, null, null, null, null, null, null, null, null);
}
