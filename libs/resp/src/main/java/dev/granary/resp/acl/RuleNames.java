package dev.granary.resp.acl;

import dev.granary.resp.Request;
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
    private final Predicate<Command> onChunks;
    private final Set<String> ofRedis;

    /**
     * The names of a server's commands.
     *
     * @param onChunks says which commands are about chunks, which no pattern of keys can mean
     */
    public RuleNames(CommandTable table, Predicate<Command> onChunks) {
        this.table = table;
        this.onChunks = onChunks;
        this.ofRedis = ofRedis();
    }

    /** The names of all commands that rules of a cluster's users can be about: those of doors, and administration. */
    public static RuleNames ofGranary() {
        return new RuleNames(GranaryTable.ofRules(), command -> GranaryTable.isOnChunks(command.name()));
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

    /** Returns a command of a request; null if there is none. */
    public @Nullable Command find(Request request) {
        return table.find(request);
    }

    /** Returns a command of the server by its name in small letters; null if the server has none. */
    public @Nullable Command find(String name) {
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

    /** Returns whether a command is about chunks. */
    boolean isOnChunks(Command command) {
        return onChunks.test(command);
    }
}
