package dev.granary.cli.command;

import dev.granary.client.Durability;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The durability level of a command's changes. */
final class DurabilityOption {

    @Option(
            names = "--durability",
            paramLabel = "LEVEL",
            description =
                    "When a change counts as done: async (its owner has it), replicated (all its backups have it), "
                            + "synced (it is on their disks). Default: what the storage peers are configured to do.")
    private @Nullable Durability level;

    /** The durability level, null when the command line names none. */
    @Nullable
    Durability level() {
        return level;
    }
}
