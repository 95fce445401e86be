package dev.granary.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** The spec of one restore. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "self == oldSelf",
        message = "a GranaryRestore cannot change once it is made: make another one under another name")
@ValidationRule(
        value = "has(self.backup) != has(self.place)",
        message = "name what is restored: either backup, a GranaryBackup of this namespace, or place and id")
public record GranaryRestoreSpec(
        @JsonPropertyDescription(
                "Name of the Granary, in the same namespace, that it is restored into. It must be empty.")
        @Required
        String granary,

        @JsonPropertyDescription("Name of a GranaryBackup in the same namespace.") @Nullable
        String backup,

        @JsonPropertyDescription("Where the backup lies, if no GranaryBackup of this namespace knows.") @Nullable
        BackupPlace place,

        @JsonPropertyDescription("Id of the backup in that place; the newest finished one when left out.") @Nullable
        String id,

        @JsonPropertyDescription("Resources and time of the Job that does it; everything has a default.") @Nullable
        TransferJobSpec job) {}
