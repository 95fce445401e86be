package dev.granary.operator.api.backup;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.granary.operator.api.Reference;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/** The spec of a schedule of cluster backups. */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GranaryBackupScheduleSpec(
        @JsonPropertyDescription("The Granary that is backed up.") @Required
        Reference granaryRef,

        @JsonPropertyDescription("Where the backups go. Their ids there are the name of this resource and the time.")
        @Required
        BackupPlace destination,

        @JsonPropertyDescription(
                "When, as cron says it: minute, hour, day of the month, month, day of the week, such as '0 3 * * *'; or"
                        + " @daily and its like.")
        @Required
        @Pattern("^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|\\S+( +\\S+){4})$")
        String schedule,

        @JsonPropertyDescription("Time zone of the schedule, such as Europe/Berlin; that of the cluster when left out.")
        @Nullable
        String timeZone,

        @JsonPropertyDescription("How many finished backups stay; the oldest are deleted.")
        @Default("7")
        @Min(1)
        @Nullable
        Integer keep,

        @JsonPropertyDescription("Whether no backups begin for a while.") @Nullable
        Boolean suspend,

        @JsonPropertyDescription("Resources and time of each of its Jobs; everything has a default.") @Nullable
        TransferJobSpec job) {}
