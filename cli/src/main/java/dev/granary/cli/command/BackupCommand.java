package dev.granary.cli.command;

import dev.granary.cli.backup.BackupCatalog;
import dev.granary.cli.backup.BackupMaker;
import dev.granary.cli.backup.BackupManifest;
import dev.granary.cli.backup.BackupProgress;
import dev.granary.cli.backup.BackupStore;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.OutputOption;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.client.GranaryClient;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes, lists, verifies and deletes cluster backups. */
@Command(
        name = "backup",
        mixinStandardHelpOptions = true,
        description = {
            "Make and look after backups of a whole cluster: in a folder, or in a store that speaks S3.",
            "A backup is made while the cluster serves. It has every change that was acknowledged before it began."
        },
        footer = {
            "",
            "  granary backup create --store /mnt/backups",
            "  granary backup list --store s3://bucket/granary",
            "  granary restore --store /mnt/backups        into a new, empty cluster",
        })
public final class BackupCommand implements Runnable {

    private static final DateTimeFormatter ID =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(new CommandLine(spec), "Name what to do: create, list, verify or delete.");
    }

    @Command(
            name = "create",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = "Make a backup of the cluster.")
    int create(
            @Mixin ConnectOptions connect,
            @Mixin StoreOptions options,
            @Mixin WatchOptions watch,
            @Option(
                            names = "--id",
                            paramLabel = "ID",
                            description = "What the backup is called. Default: the series and the time.")
                    @Nullable
                    String id,
            @Option(
                            names = "--series",
                            paramLabel = "NAME",
                            defaultValue = "backup",
                            description = "What ids of its kind begin with (default: ${DEFAULT-VALUE}).")
                    String series,
            @Option(
                            names = "--keep",
                            paramLabel = "COUNT",
                            description = "Delete the oldest backups of the series and this cluster until so many are"
                                    + " left. Default: keep all.")
                    @Nullable
                    Integer keep) {
        if (keep != null && keep < 1) {
            throw new UserException("--keep is " + keep + "; it must be at least 1");
        }
        String name = id == null ? series + "-" + ID.format(Instant.now()) : id;
        BackupProgress progress = new BackupProgress();
        Map<String, Object> outcome = watch.watch("backup", progress, () -> {
            try (BackupStore store = options.open();
                    GranaryClient client = connect.connect()) {
                BackupManifest manifest = new BackupMaker(client, store, name, progress).run();
                List<String> gone = keep == null
                        ? List.of()
                        : new BackupCatalog(store).keep(series + "-", manifest.clusterId(), keep);
                Map<String, Object> told = describe(manifest);
                told.put("deleted", gone);
                return told;
            }
        });
        System.out.println(Json.compact(outcome));
        return 0;
    }

    @Command(name = "list", mixinStandardHelpOptions = true, description = "List the backups of a store.")
    int list(
            @Mixin StoreOptions options,
            @Mixin OutputOption output,
            @Option(names = "--json", description = "One line of JSON for each.") boolean json) {
        try (BackupStore store = options.open()) {
            BackupCatalog catalog = new BackupCatalog(store);
            Set<String> unfinished = catalog.ids();
            if (!json && !output.isText()) {
                output.print(describe(catalog.finished(), unfinished), System.out);
                return 0;
            }
            for (BackupManifest each : catalog.finished()) {
                unfinished.remove(each.id());
                if (json) {
                    System.out.println(Json.compact(describe(each)));
                } else {
                    System.out.printf(
                            "%-40s %s  %,d chunks, %s, %,d names, %,d keys%n",
                            each.id(),
                            Instant.ofEpochMilli(each.startedAtMillis()),
                            each.chunks(),
                            Sizes.bytes(each.payloadBytes()),
                            each.names(),
                            each.keys());
                }
            }
            if (!json) {
                unfinished.forEach(each -> System.out.printf("%-40s not finished, cannot be restored%n", each));
            }
            return 0;
        }
    }

    @Command(
            name = "verify",
            mixinStandardHelpOptions = true,
            description = "Read all of a backup and compare it with its checksums.")
    int verify(
            @Mixin StoreOptions options,
            @Parameters(arity = "0..1", paramLabel = "ID", description = "Default: the newest.") @Nullable String id) {
        try (BackupStore store = options.open()) {
            BackupCatalog catalog = new BackupCatalog(store);
            BackupManifest manifest = catalog.find(id);
            catalog.verify(manifest);
            System.out.printf(
                    "backup %s is whole: %,d chunks, %,d names, %,d keys%n",
                    manifest.id(), manifest.chunks(), manifest.names(), manifest.keys());
            return 0;
        }
    }

    @Command(name = "delete", mixinStandardHelpOptions = true, description = "Delete a backup, finished or not.")
    int delete(@Mixin StoreOptions options, @Parameters(paramLabel = "ID") String id) {
        try (BackupStore store = options.open()) {
            BackupCatalog catalog = new BackupCatalog(store);
            if (!catalog.ids().contains(id)) {
                throw new UserException("there is no backup " + id + " in " + store.describe());
            }
            catalog.delete(id);
            return 0;
        }
    }

    /** All backups of a store, those that are not finished at the end. */
    private static List<Map<String, Object>> describe(List<BackupManifest> finished, Set<String> ids) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (BackupManifest each : finished) {
            ids.remove(each.id());
            Map<String, Object> told = describe(each);
            told.put("finished", true);
            all.add(told);
        }
        for (String id : ids) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("id", id);
            told.put("finished", false);
            all.add(told);
        }
        return all;
    }

    static Map<String, Object> describe(BackupManifest manifest) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", manifest.id());
        map.put("cluster", manifest.clusterId());
        map.put("startedAt", Instant.ofEpochMilli(manifest.startedAtMillis()).toString());
        map.put("finishedAt", Instant.ofEpochMilli(manifest.finishedAtMillis()).toString());
        map.put("chunks", manifest.chunks());
        map.put("bytes", manifest.payloadBytes());
        map.put("names", manifest.names());
        map.put("keys", manifest.keys());
        map.put("keyBytes", manifest.keyBytes());
        return map;
    }
}
