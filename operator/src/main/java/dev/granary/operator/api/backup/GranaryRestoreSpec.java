package dev.granary.operator.api.backup;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.granary.operator.api.Reference;
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
        value = "has(self.backupRef) != has(self.source)",
        message = "name what is restored: either backupRef, a GranaryBackup of this namespace, or source and id")
public record GranaryRestoreSpec(
        @JsonPropertyDescription("The Granary that it is restored into. It must be empty.") @Required
        Reference granaryRef,

        @JsonPropertyDescription("The GranaryBackup that is restored.") @Nullable
        Reference backupRef,

        @JsonPropertyDescription("Where the backup lies, if no GranaryBackup of this namespace knows.") @Nullable
        BackupPlace source,

        @JsonPropertyDescription("Id of the backup in the source; the newest finished one when left out.") @Nullable
        String id,

        @JsonPropertyDescription("Resources and time of the Job that does it; everything has a default.") @Nullable
        TransferJobSpec job) {}
