package dev.granary.cli.kubectl;

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

/** Asks the operator to restore a cluster backup. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Restore a cluster backup into a Granary, which must be empty.",
            "Makes a GranaryRestore and does not wait: 'kubectl get granaryrestores' shows how far it is.",
        },
        footer = {
            "",
            "  kubectl granary restore social2 --backup social-20260101-030000",
            "  kubectl granary restore social2 --bucket granary --secret s3",
        })
final class RestoreCommand implements Callable<Integer> {

    @ParentCommand
    private KubectlGranaryCommand parent = new KubectlGranaryCommand();

    @Parameters(paramLabel = "NAME", description = "The Granary.")
    private String name = "";

    @Option(names = "--backup", paramLabel = "BACKUP", description = "A GranaryBackup of the namespace.")
    private @Nullable String backup;

    @Option(
            names = "--id",
            paramLabel = "ID",
            description = "Id of the backup in the place. Default: the newest finished one.")
    private @Nullable String id;

    @Mixin
    private BackupPlaceOptions place = new BackupPlaceOptions();

    @Override
    public Integer call() {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put("granaryRef", Map.of("name", name));
        if (backup != null) {
            if (place.isNamed() || id != null) {
                throw new UserException("--backup does not go with --claim, --bucket and --id");
            }
            spec.put("backupRef", Map.of("name", backup));
        } else {
            spec.put("source", place.place());
            if (id != null) {
                spec.put("id", id);
            }
        }
        String object = TransferObject.nameFor(name, Instant.now());
        System.out.print(parent.kubectl().create(TransferObject.of("GranaryRestore", object, spec)));
        return 0;
    }
}
