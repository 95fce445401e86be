package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The wish of the user. Every field has a default, so an empty spec describes a cluster. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "!has(self.redis) || !has(self.redis.announce) || !has(self.redis.announce.firstPort)"
                + " || self.redis.announce.firstPort + (has(self.storagePeers.autoscaling)"
                + " ? self.storagePeers.autoscaling.max : self.storagePeers.replicas) <= 65536",
        message = "redis.announce.firstPort must leave a port up to 65535 for each storage peer that there may be")
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
                "Doors for clients of Redis: storage peers look like nodes of a Redis cluster. Left out: none. A change"
                        + " restarts the storage peers, one after the other, unless it is of the Service alone.")
        @Nullable
        RedisSpec redis,

        @JsonPropertyDescription("TLS between the processes of the cluster, and for its clients.") @Nullable
        TlsSpec tls,

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

        @JsonPropertyDescription("The logs of the pods. A change restarts them, one after the other.")
        @Default("{}")
        @Nullable
        LoggingSpec logging,

        @JsonPropertyDescription("Who may connect to the pods; left out: everybody.") @Nullable
        NetworkPolicySpec networkPolicy,

        @JsonPropertyDescription(
                "Image of the super-peers and storage peers. When left out a new cluster gets the operator's own"
                        + " setting, and keeps it until an image is named here: an upgrade of the operator restarts no pod.")
        @Size(min = 1, max = 1024)
        @Nullable
        String image,

        @JsonPropertyDescription(
                "When the image is pulled: Always, IfNotPresent or Never. The operator's own setting when"
                        + " left out.")
        @Nullable
        String imagePullPolicy,

        @JsonPropertyDescription("The Secrets with which the image is pulled.") @Nullable
        List<Reference> imagePullSecrets,

        @JsonPropertyDescription(
                "The ServiceAccount of the pods and of the Jobs that back the cluster up. The operator makes it, without"
                        + " any right.")
        @Nullable
        ServiceAccountSpec serviceAccount,

        @JsonPropertyDescription("What becomes of volumes that no pod needs any more.") @Default("{}") @Nullable
        VolumeRetentionSpec volumeRetention,

        @JsonPropertyDescription(
                "Stops the operator: it changes nothing of this cluster, whatever happens to it, until this is false"
                        + " again. The condition Paused says so; the rest of the status stays as it was.")
        @Default("false")
        @Nullable
        Boolean paused) {
    /** The empty spec. */
    public static final GranarySpec NONE = new GranarySpec(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
}
