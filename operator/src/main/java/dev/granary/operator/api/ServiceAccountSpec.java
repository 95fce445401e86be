package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the ServiceAccount of a cluster gets beside what the operator gives it. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ServiceAccountSpec(
        @JsonPropertyDescription("Annotations of the ServiceAccount, such as eks.amazonaws.com/role-arn or"
                + " iam.gke.io/gcp-service-account, by which a cloud gives the pods a role.")
        @Nullable
        Map<String, String> annotations,

        @JsonPropertyDescription("More labels of the ServiceAccount.")
        @ValidationRule(
                value = "self.all(key, !key.startsWith('granary.dev/') && !key.startsWith('app.kubernetes.io/'))",
                message = "serviceAccount.labels must not be under granary.dev/ or app.kubernetes.io/: these are the"
                        + " operator's")
        @Nullable
        Map<String, String> labels) {
    /** Nothing more. */
    public static final ServiceAccountSpec NONE = new ServiceAccountSpec(null, null);
}
