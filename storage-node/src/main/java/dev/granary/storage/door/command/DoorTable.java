package dev.granary.storage.door.command;

import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import dev.granary.storage.door.state.DoorState;
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
        Predicate<String> wanted =
                name -> local.has(name) || COMPOSED.contains(name) || DoorState.isOnChunks(name) || onKeys.test(name);
        CommandTable redis = CommandTable.redis();
        CommandTable younger = read("younger.txt");
        List<Command> commands = new ArrayList<>();
        for (Command command : redis.commands()) {
            commands.add(withYounger(command, younger));
        }
        younger.commands().stream()
                .filter(command -> redis.find(command.name()) == null)
                .forEach(commands::add);
        return new CommandTable(commands)
                .with(read("chunks.txt"))
                .only(command -> wanted.test(command.name())
                        || command.subcommands().stream().anyMatch(sub -> wanted.test(sub.name())));
    }

    private static CommandTable read(String resource) {
        try (InputStream in = DoorTable.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing beside " + DoorTable.class);
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
