package dev.granary.storage.door.command;

import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** The commands that a door has: of Redis's those that something carries out, and some that are younger. */
public final class DoorTable {

    /** What the door carries out by asking slot groups, or by transactions. */
    private static final Set<String> COMPOSED = Set.of(
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

    /** Younger than Redis 7.0, from which the table of {@code libs/resp} is made, or of another part of Redis. */
    private static final String YOUNGER = """
            command client
             arity -2
             group connection
             command setinfo
              arity 4
              flags noscript loading stale
              categories slow connection
              summary Set client or connection specific info
              since 7.2.0
              group connection
              complexity O(1)
             command no-touch
              arity 3
              flags noscript loading stale
              categories slow connection
              summary Controls whether commands sent by the client will alter the LRU/LFU of the keys they access
              since 7.2.0
              group connection
              complexity O(1)
            command cluster
             arity -2
             group cluster
             command myshardid
              arity 2
              flags loading stale
              categories slow
              tip nondeterministic_output
              summary Return the node shard id
              since 7.2.0
              group cluster
              complexity O(1)
            command function
             arity -2
             categories slow
             summary A container for function commands
             since 7.0.0
             group scripting
             complexity Depends on subcommand.
             command flush
              arity -2
              flags write noscript
              categories write slow scripting
              tip request_policy:all_shards
              tip response_policy:all_succeeded
              summary Deleting all functions
              since 7.0.0
              group scripting
              complexity O(N) where N is the number of functions deleted
            """;

    private DoorTable() {}

    /**
     * Returns the table.
     *
     * @param local the commands that the door answers itself
     * @param onKeys says of a name whether slot groups have the command
     */
    public static CommandTable of(LocalCommands local, Predicate<String> onKeys) {
        Predicate<String> wanted =
                name -> local.has(name) || COMPOSED.contains(name) || isOnChunks(name) || onKeys.test(name);
        CommandTable redis = CommandTable.redis();
        CommandTable younger = CommandTable.read(YOUNGER);
        List<Command> commands = new ArrayList<>();
        for (Command command : redis.commands()) {
            commands.add(withYounger(command, younger));
        }
        younger.commands().stream()
                .filter(command -> redis.find(command.name()) == null)
                .forEach(commands::add);
        return new CommandTable(commands)
                .with(chunks())
                .only(command -> wanted.test(command.name())
                        || command.subcommands().stream().anyMatch(sub -> wanted.test(sub.name())));
    }

    /** Returns whether a command, or a subcommand with its container, is about chunks. */
    public static boolean isOnChunks(String name) {
        return name.startsWith("chunk.");
    }

    private static CommandTable chunks() {
        try (InputStream in = DoorTable.class.getResourceAsStream("chunks.txt")) {
            if (in == null) {
                throw new IllegalStateException("chunks.txt is missing beside " + DoorTable.class);
            }
            return CommandTable.read(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Command withYounger(Command command, CommandTable younger) {
        Command more = younger.find(command.name());
        if (more == null) {
            return command;
        }
        List<Command> subcommands = new ArrayList<>(command.subcommands());
        subcommands.addAll(more.subcommands());
        subcommands.sort(Comparator.comparing(Command::name));
        return new Command(
                command.name(),
                command.arity(),
                command.flags(),
                command.keys(),
                command.categories(),
                command.tips(),
                command.keySpecs(),
                subcommands,
                command.docs());
    }
}
