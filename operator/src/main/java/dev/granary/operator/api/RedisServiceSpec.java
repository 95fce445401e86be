package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The Service that leads to the doors of the storage peers. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RedisServiceSpec(
        @JsonPropertyDescription(
                "ClusterIP; or NodePort or LoadBalancer for clients outside that know nothing of Redis clusters: every"
                        + " door serves every key.")
        @Default("\"ClusterIP\"")
        @Nullable
        String type,

        @JsonPropertyDescription("Annotations of the Service, such as those by which a cloud makes a load balancer.")
        @Nullable
        Map<String, String> annotations) {
    /** The values of {@code type}, the default first. */
    public static final List<String> TYPES = List.of("ClusterIP", "NodePort", "LoadBalancer");

    /** The empty spec. */
    public static final RedisServiceSpec NONE = new RedisServiceSpec(null, null);
}
