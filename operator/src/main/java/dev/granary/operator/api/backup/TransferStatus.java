package dev.granary.operator.api.backup;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The progress and the result of a cluster backup or a restore. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransferStatus(
        @JsonPropertyDescription("The generation of the spec that this status is about.") @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("Complete, Progressing and Failed.") @Nullable
        List<Condition> conditions,

        @JsonPropertyDescription("Name of the Job that does the work.") @Nullable
        String job,

        @JsonPropertyDescription("Id of the backup in its place.") @Nullable
        String id,

        @JsonPropertyDescription("The id of the cluster that the backup is of.") @Nullable
        String clusterId,

        @JsonPropertyDescription("Every change that was acknowledged before this moment is in the backup.") @Nullable
        String startedAt,

        @JsonPropertyDescription("When the backup was finished.") @Nullable
        String finishedAt,

        @JsonPropertyDescription("Chunks that the backup has.") @Nullable
        Long chunks,

        @JsonPropertyDescription("Bytes of these chunks.") @Nullable
        Long bytes,

        @JsonPropertyDescription("Names that the backup has.") @Nullable
        Long names,

        @JsonPropertyDescription("Keys that the backup has.") @Nullable
        Long keys,

        @JsonPropertyDescription("How far it is; left out when it is over.") @Nullable
        Progress progress) {

    /** The progress. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Progress(
            @JsonPropertyDescription("What is being done, in words.") @Nullable
            String step,

            @JsonPropertyDescription("Chunks so far.") @Nullable
            Long chunks,

            @JsonPropertyDescription("About how many there will be.") @Nullable
            Long totalChunks,

            @JsonPropertyDescription("Bytes of chunks so far.") @Nullable
            Long bytes,

            @JsonPropertyDescription("About how many there will be.") @Nullable
            Long totalBytes,

            @JsonPropertyDescription("Keys so far.") @Nullable
            Long keys,

            @JsonPropertyDescription("Storage peers whose chunks are done.") @Nullable
            Long peers,

            @JsonPropertyDescription("How many there are.") @Nullable
            Long totalPeers) {}
}
