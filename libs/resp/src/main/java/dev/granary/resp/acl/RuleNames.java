package dev.granary.resp.acl;

import dev.granary.resp.command.Command;
import dev.granary.resp.command.CommandTable;
import dev.granary.resp.command.GranaryTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The commands and categories that rules may name: those of a server, and those that only Redis has, so that users can
 * be taken over from there. Immutable.
 */
public final class RuleNames {

    /** All categories, in Redis's order. */
    public static final List<String> CATEGORIES = List.of(
            "keyspace",
            "read",
            "write",
            "set",
            "sortedset",
            "list",
            "hash",
            "string",
            "bitmap",
            "hyperloglog",
            "geo",
            "stream",
            "pubsub",
            "admin",
            "fast",
            "slow",
            "blocking",
            "dangerous",
            "connection",
            "transaction",
            "scripting");

    private final CommandTable table;
    private final Predicate<Command> onAllKeys;
    private final Set<String> ofRedis;

    /**
     * The names of a server's commands.
     *
     * @param onAllKeys says which commands are allowed only to who may use all keys, because what they use is none
     */
    public RuleNames(CommandTable table, Predicate<Command> onAllKeys) {
        this.table = table;
        this.onAllKeys = onAllKeys;
        this.ofRedis = ofRedis();
    }

    /**
     * The names of a door's commands. No pattern of keys can mean a chunk, so commands on chunks are for those who may
     * use all keys.
     */
    public static RuleNames ofDoor(CommandTable table) {
        return new RuleNames(table, command -> GranaryTable.isOnChunks(command.name()));
    }

    private static Set<String> ofRedis() {
        try (InputStream in = RuleNames.class.getResourceAsStream("names.txt")) {
            if (in == null) {
                throw new IllegalStateException("names.txt is missing beside " + RuleNames.class);
            }
            Set<String> names = new TreeSet<>();
            new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .forEach(names::add);
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a command of the server by its name in small letters; null if the server has none. */
    @Nullable
    Command find(String name) {
        return table.find(name);
    }

    boolean isKnown(String name) {
        return table.find(name) != null || ofRedis.contains(name);
    }

    /** Returns whether a command has subcommands. */
    boolean isContainer(String name) {
        Command command = table.find(name);
        return (command != null && !command.subcommands().isEmpty())
                || ofRedis.stream().anyMatch(each -> each.startsWith(name + "|"));
    }

    /** Shows all commands of the server, each before its subcommands. */
    void forEach(Consumer<Command> each) {
        table.commands().forEach(command -> {
            each.accept(command);
            command.subcommands().forEach(each);
        });
    }

    /** Returns whether a command is allowed only to who may use all keys. */
    boolean isOnAllKeys(Command command) {
        return onAllKeys.test(command);
    }
}
