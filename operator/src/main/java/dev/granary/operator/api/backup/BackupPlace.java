package dev.granary.operator.api.backup;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.granary.operator.api.Reference;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** The place of cluster backups: a volume, or a store that speaks S3. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "has(self.volume) != has(self.s3)",
        message = "name one place for backups: either a volume or s3")
public record BackupPlace(
        @JsonPropertyDescription("A volume.") @Nullable Volume volume,

        @JsonPropertyDescription("A bucket of Amazon S3 or of a store that speaks its protocol.") @Nullable
        S3 s3) {

    /** A volume, by its claim. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Volume(
            @JsonPropertyDescription("Name of a PersistentVolumeClaim in the same namespace.")
            @Required
            @Size(min = 1, max = 253)
            String claimName,

            @JsonPropertyDescription("Folder in the volume; its root when left out.")
            @ValidationRule(
                    value = "!self.startsWith('/') && !self.contains('..')",
                    message = "volume.path must be a folder below the volume's root, without a leading '/' and '..'")
            @Nullable
            String path) {}

    /** A bucket. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record S3(
            @JsonPropertyDescription("Name of the bucket; it must exist.") @Required @Pattern("^[a-z0-9][a-z0-9.-]+$")
            String bucket,

            @JsonPropertyDescription("What all names in the bucket begin with; nothing when left out.") @Nullable
            String folder,

            @JsonPropertyDescription("Address of a store that is not Amazon's, such as http://minio.storage:9000.")
            @Pattern("^https?://[^/]+/?$")
            @Nullable
            String endpoint,

            @JsonPropertyDescription("Region of the bucket; us-east-1 when left out.") @Nullable
            String region,

            @JsonPropertyDescription(
                    "The Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; left out, the pod's own role counts.")
            @Nullable
            Reference credentialsSecretRef) {}
}
