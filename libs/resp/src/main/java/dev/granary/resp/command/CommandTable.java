package dev.granary.resp.command;

import dev.granary.resp.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The commands that a server has, by name. It does not change, and may be used by any thread. */
public final class CommandTable {

    /** Longer names are of no command, and are not looked at to their end. */
    private static final int MOST_NAME_BYTES = 64;

    private final List<Command> commands;
    private final NameIndex<Entry> index;
    private final Map<String, Command> byName = new HashMap<>();

    /** A command with the index of its subcommands. */
    private record Entry(Command command, @Nullable NameIndex<Command> subcommands) {

        static Entry of(Command command) {
            return new Entry(
                    command,
                    command.subcommands().isEmpty() ? null : new NameIndex<>(command.subcommands(), Command::ownName));
        }
    }

    /** A table of commands in the order of their names. */
    public CommandTable(List<Command> commands) {
        TreeMap<String, Command> sorted = new TreeMap<>();
        for (Command command : commands) {
            if (sorted.put(command.name(), command) != null) {
                throw new IllegalArgumentException("the command '" + command.name() + "' is there twice");
            }
            byName.put(command.name(), command);
            command.subcommands().forEach(subcommand -> byName.put(subcommand.name(), subcommand));
        }
        this.commands = List.copyOf(sorted.values());
        this.index = new NameIndex<>(this.commands.stream().map(Entry::of).toList(), entry -> entry.command.name());
    }

    /** Reads the table of Redis's commands that this module brings. */
    public static CommandTable redis() {
        return ofResource("redis.txt");
    }

    /** Reads a table that this module brings. */
    static CommandTable ofResource(String name) {
        try (InputStream in = CommandTable.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing beside " + CommandTable.class);
            }
            return read(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a table from text as docs/formats/resp.md describes it. */
    public static CommandTable read(String text) {
        return new CommandTable(TableReader.read(text));
    }

    /** Returns a table of those commands, and of those of their subcommands, that are wanted. */
    public CommandTable only(Predicate<Command> wanted) {
        return new CommandTable(commands.stream()
                .filter(wanted)
                .map(command -> command.withSubcommands(
                        command.subcommands().stream().filter(wanted).toList()))
                .toList());
    }

    /** Returns a table that has the commands of another one as well. */
    public CommandTable with(CommandTable other) {
        List<Command> all = new ArrayList<>(commands);
        all.addAll(other.commands);
        return new CommandTable(all);
    }

    /** Returns all commands in the order of their names; subcommands are in their containers. */
    public List<Command> commands() {
        return Collections.unmodifiableList(commands);
    }

    /** Returns the command, or the subcommand, of a request; null if there is none. */
    public @Nullable Command find(Request request) {
        return find(request, 0);
    }

    /** Returns the command of a request that begins at one of the arguments. */
    public @Nullable Command find(Request request, int first) {
        Entry entry = entry(request, first);
        if (entry == null) {
            return null;
        }
        if (entry.subcommands == null || first + 1 == request.count()) {
            return entry.command;
        }
        return isNameLong(request, first + 1) ? null : entry.subcommands.find(request, first + 1);
    }

    /** Returns whether the request's first argument is a command that has subcommands. */
    boolean isContainer(Request request) {
        Entry entry = entry(request, 0);
        return entry != null && entry.subcommands != null;
    }

    private @Nullable Entry entry(Request request, int argument) {
        return isNameLong(request, argument) ? null : index.find(request, argument);
    }

    private static boolean isNameLong(Request request, int argument) {
        return request.length(argument) > MOST_NAME_BYTES;
    }

    /** Returns a command by its name, or a subcommand by both: {@code client|list}; null if there is none. */
    public @Nullable Command find(String name) {
        return byName.get(name.toLowerCase(Locale.ROOT));
    }
}
