package dev.granary.storage.door.command;

import dev.granary.resp.command.CommandTable;
import dev.granary.resp.command.GranaryTable;
import java.util.Set;
import java.util.function.Predicate;

/** The commands that a door has: of Redis's those that something carries out, and some that are younger. */
public final class DoorTable {

    /** What the door carries out by asking others, or by transactions. */
    private static final Set<String> COMPOSED = Set.of(
            "auth",
            "hello",
            "multi",
            "exec",
            "discard",
            "watch",
            "unwatch",
            "dbsize",
            "keys",
            "scan",
            "randomkey",
            "flushall",
            "flushdb",
            "cluster|countkeysinslot",
            "cluster|getkeysinslot");

    private DoorTable() {}

    /**
     * Returns the table.
     *
     * @param local the commands that the door answers itself
     * @param onKeys says of a name whether slot groups have the command
     */
    public static CommandTable of(LocalCommands local, Predicate<String> onKeys) {
        Predicate<String> wanted = name ->
                local.has(name) || COMPOSED.contains(name) || GranaryTable.isOnChunks(name) || onKeys.test(name);
        return GranaryTable.read()
                .only(command -> wanted.test(command.name())
                        || command.subcommands().stream().anyMatch(sub -> wanted.test(sub.name())));
    }
}
