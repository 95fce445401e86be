package dev.granary.resp.command;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The commands that a door can have: Redis's, some that are younger than the version that it announces, and those on
 * chunks. A door has those of them that it carries out.
 */
public final class GranaryTable {

    private static final String ON_CHUNKS = "chunk.";

    private GranaryTable() {}

    /** Reads the table from what this module brings. */
    public static CommandTable read() {
        CommandTable redis = CommandTable.redis();
        CommandTable younger = CommandTable.ofResource("younger.txt");
        List<Command> commands = new ArrayList<>();
        for (Command command : redis.commands()) {
            commands.add(withYounger(command, younger));
        }
        younger.commands().stream()
                .filter(command -> redis.find(command.name()) == null)
                .forEach(commands::add);
        return new CommandTable(commands).with(CommandTable.ofResource("chunks.txt"));
    }

    /**
     * Reads the table of what rules of users can be about: the same commands, and what the binary protocol carries out
     * for administrators, which no door does.
     */
    public static CommandTable ofRules() {
        return read().with(CommandTable.ofResource("administration.txt"));
    }

    /** Returns whether a command, or a subcommand with its container, is about chunks. */
    public static boolean isOnChunks(String name) {
        return name.startsWith(ON_CHUNKS);
    }

    private static Command withYounger(Command command, CommandTable younger) {
        Command more = younger.find(command.name());
        if (more == null) {
            return command;
        }
        List<Command> subcommands = new ArrayList<>(command.subcommands());
        subcommands.addAll(more.subcommands());
        subcommands.sort(Comparator.comparing(Command::name));
        return command.withSubcommands(subcommands);
    }
}
