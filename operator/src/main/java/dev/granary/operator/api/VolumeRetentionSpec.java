package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import org.jspecify.annotations.Nullable;

/** What becomes of volumes that no pod needs any more. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VolumeRetentionSpec(
        @JsonPropertyDescription(
                "Retain: the volumes stay when the resource is deleted, and one of the same name goes on with them."
                        + " Delete: they go with it, and the copies of chunks with them.")
        @Default("\"Retain\"")
        @Nullable
        String whenDeleted,

        @JsonPropertyDescription(
                "The same for the volume of a storage peer that was scaled in. It holds nothing that is needed: the peer"
                        + " had handed over everything. The volumes of super-peers, and those of a cluster that hibernates,"
                        + " stay in any case.")
        @Default("\"Retain\"")
        @Nullable
        String whenScaled) {
    /** The volumes stay. */
    public static final String RETAIN = "Retain";

    /** The volumes are deleted. */
    public static final String DELETE = "Delete";

    /** The empty spec. */
    public static final VolumeRetentionSpec NONE = new VolumeRetentionSpec(null, null);
}
