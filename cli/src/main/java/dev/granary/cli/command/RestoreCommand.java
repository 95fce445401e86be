package dev.granary.cli.command;

import dev.granary.cli.backup.BackupCatalog;
import dev.granary.cli.backup.BackupManifest;
import dev.granary.cli.backup.BackupProgress;
import dev.granary.cli.backup.BackupRestorer;
import dev.granary.cli.backup.BackupStore;
import dev.granary.cli.base.Json;
import dev.granary.client.GranaryClient;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Restores a cluster backup. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Restore a backup into a new, empty cluster: every chunk under the CID that it had, every name, and every",
            "key that has not expired. A key that is set meanwhile stays as it is; keysKept counts these.",
            "A cluster that has a chunk or a key is refused. A backup that is not finished or is damaged is refused",
            "before anything is changed. A restoration that was stopped in between goes on when it is begun once more.",
        },
        footer = {"", "  granary restore --store /mnt/backups", "  granary restore --store s3://bucket/granary ID"})
public final class RestoreCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private StoreOptions options = new StoreOptions();

    @Mixin
    private WatchOptions watch = new WatchOptions();

    @Parameters(arity = "0..1", paramLabel = "ID", description = "The backup. Default: the newest one.")
    private @Nullable String id;

    @Option(
            names = "--verify",
            description = "Read every chunk and key again once it is served, and compare it with the backup.")
    private boolean verify;

    @Override
    public Integer call() {
        BackupProgress progress = new BackupProgress();
        Map<String, Object> outcome = watch.watch("restore", progress, () -> {
            try (BackupStore store = options.open();
                    GranaryClient client = connect.connect()) {
                BackupCatalog catalog = new BackupCatalog(store);
                BackupManifest manifest = catalog.find(id);
                long kept = new BackupRestorer(client, catalog, manifest, progress, verify).run();
                Map<String, Object> told = BackupCommand.describe(manifest);
                told.put("keysKept", kept);
                return told;
            }
        });
        System.out.println(Json.compact(outcome));
        return 0;
    }
}
