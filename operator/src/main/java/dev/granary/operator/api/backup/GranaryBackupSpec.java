package dev.granary.operator.api.backup;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.granary.operator.api.Reference;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** The spec of one cluster backup. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "self == oldSelf",
        message = "a GranaryBackup cannot change once it is made: make another one under another name")
public record GranaryBackupSpec(
        @JsonPropertyDescription("The Granary that is backed up.") @Required
        Reference granaryRef,

        @JsonPropertyDescription("Where the backup goes. Its id there is the name of this resource.") @Required
        BackupPlace destination,

        @JsonPropertyDescription("Resources and time of the Job that does it; everything has a default.") @Nullable
        TransferJobSpec job) {}
