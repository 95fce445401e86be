package dev.granary.cli.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.UserException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** Asks the operator for a cluster backup. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Make a cluster backup of a Granary now: into a volume, a bucket, or where one of its schedules puts it.",
            "Makes a GranaryBackup and does not wait: 'kubectl get granarybackups' shows how far it is.",
        },
        footer = {
            "",
            "  kubectl granary backup social --like nightly",
            "  kubectl granary backup social --claim backups"
        })
final class BackupCommand implements Callable<Integer> {

    @ParentCommand
    private KubectlGranaryCommand parent = new KubectlGranaryCommand();

    @Parameters(paramLabel = "NAME", description = "The Granary.")
    private String name = "";

    @Option(names = "--id", paramLabel = "ID", description = "Name of the GranaryBackup. Default: NAME and the time.")
    private @Nullable String id;

    @Option(
            names = "--like",
            paramLabel = "SCHEDULE",
            description = "Into the destination of this GranaryBackupSchedule.")
    private @Nullable String schedule;

    @Mixin
    private BackupPlaceOptions place = new BackupPlaceOptions();

    @Override
    public Integer call() {
        if (schedule != null && place.isNamed()) {
            throw new UserException("--like does not go with --claim and --bucket");
        }
        Kubectl kubectl = parent.kubectl();
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("granaryRef", Map.of("name", name));
        spec.put("destination", schedule == null ? place.place() : placeOf(kubectl, schedule));
        String object = id == null ? TransferObject.nameFor(name, Instant.now()) : id;
        System.out.print(kubectl.create(TransferObject.of("GranaryBackup", object, spec)));
        return 0;
    }

    private static JsonNode placeOf(Kubectl kubectl, String schedule) {
        JsonNode found = kubectl.get("granarybackupschedule", schedule).at("/spec/destination");
        if (found.isMissingNode()) {
            throw new UserException("GranaryBackupSchedule " + schedule + " has no destination");
        }
        return found;
    }
}
