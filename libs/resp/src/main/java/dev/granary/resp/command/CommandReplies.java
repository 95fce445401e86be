package dev.granary.resp.command;

import dev.granary.resp.Glob;
import dev.granary.resp.ReplyWriter;
import dev.granary.resp.Request;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Answers the command {@code COMMAND} from a table, as Redis 7.0 does. Of one thread. */
public final class CommandReplies {

    private static final String SYNTAX_ERROR = "ERR syntax error";

    private final CommandTable table;
    private final InfoWriter info = new InfoWriter();
    private final DocsWriter docs = new DocsWriter();
    private final KeyPositions keys = new KeyPositions();

    public CommandReplies(CommandTable table) {
        this.table = table;
    }

    /**
     * Answers a request whose first argument is {@code COMMAND}, and whose second one, if there is one, names a
     * subcommand that the table has, with as many arguments as it takes.
     */
    public void answer(Request request, ReplyWriter out) {
        String subcommand = request.count() == 1 ? "" : request.text(1).toLowerCase(Locale.ROOT);
        switch (subcommand) {
            case "" -> infoOfAll(out);
            case "count" -> out.integer(table.commands().size());
            case "info" -> info(request, out);
            case "docs" -> docs(request, out);
            case "getkeys" -> keys(request, out, false);
            case "getkeysandflags" -> keys(request, out, true);
            case "list" -> list(request, out);
            case "help" -> help(out);
            default -> out.error(CommandErrors.unknown(table, request));
        }
    }

    private void infoOfAll(ReplyWriter out) {
        out.array(table.commands().size());
        table.commands().forEach(command -> info.write(command, out));
    }

    private void info(Request request, ReplyWriter out) {
        if (request.count() == 2) {
            infoOfAll(out);
            return;
        }
        out.array(request.count() - 2);
        for (int i = 2; i < request.count(); i++) {
            Command command = table.find(request.text(i));
            if (command == null) {
                out.nothing();
            } else {
                info.write(command, out);
            }
        }
    }

    private void docs(Request request, ReplyWriter out) {
        if (request.count() == 2) {
            docs.write(table.commands(), out);
            return;
        }
        docs.write(
                IntStream.range(2, request.count())
                        .mapToObj(i -> table.find(request.text(i)))
                        .filter(java.util.Objects::nonNull)
                        .toList(),
                out);
    }

    private void keys(Request request, ReplyWriter out, boolean withFlags) {
        Command command = table.find(request, 2);
        if (command == null) {
            out.error("ERR Invalid command specified");
        } else if (!command.hasKeys()) {
            out.error("ERR The command has no key arguments");
        } else if (!command.takes(request.count() - 2)) {
            out.error("ERR Invalid number of arguments specified for command");
        } else if (keys.find(command, request, 2) && keys.count() > 0) {
            out.array(keys.count());
            for (int i = 0; i < keys.count(); i++) {
                if (withFlags) {
                    out.array(2);
                }
                int argument = keys.position(i);
                out.bulk(request.buffer(), request.start(argument), request.length(argument));
                if (withFlags) {
                    InfoWriter.simpleSet(KeyFlags.of(command, keys.spec(i), request, 2), out);
                }
            }
        } else if (command.flags().contains(CommandFlag.NO_MANDATORY_KEYS)) {
            out.array(0);
        } else {
            out.error("ERR Invalid arguments specified for command");
        }
    }

    private void list(Request request, ReplyWriter out) {
        if (request.count() == 2) {
            list(command -> true, out);
            return;
        }
        if (request.count() != 5 || !request.is(2, "filterby")) {
            out.error(SYNTAX_ERROR);
            return;
        }
        Predicate<Command> filter = filter(request);
        if (filter == null) {
            out.error(SYNTAX_ERROR);
        } else {
            list(filter, out);
        }
    }

    private static @Nullable Predicate<Command> filter(Request request) {
        String wanted = request.text(4);
        if (request.is(3, "module")) {
            // Nothing here comes from a module.
            return command -> false;
        }
        if (request.is(3, "aclcat")) {
            return command -> command.categories().stream().anyMatch(wanted::equalsIgnoreCase);
        }
        if (request.is(3, "pattern")) {
            Glob pattern = new Glob(wanted.getBytes(StandardCharsets.ISO_8859_1), true);
            return command -> pattern.matches(command.name());
        }
        return null;
    }

    private void list(Predicate<Command> filter, ReplyWriter out) {
        List<String> names = table.commands().stream()
                .flatMap(command -> Stream.concat(Stream.of(command), command.subcommands().stream()))
                .filter(filter)
                .map(Command::name)
                .toList();
        out.array(names.size());
        names.forEach(out::bulk);
    }

    private static void help(ReplyWriter out) {
        List<String> lines = """
                COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:
                (no subcommand)
                    Return details about all Redis commands.
                COUNT
                    Return the total number of commands in this Redis server.
                LIST
                    Return a list of all commands in this Redis server.
                INFO [<command-name> ...]
                    Return details about multiple Redis commands.
                    If no command names are given, documentation details for all
                    commands are returned.
                DOCS [<command-name> ...]
                    Return documentation details about multiple Redis commands.
                    If no command names are given, documentation details for all
                    commands are returned.
                GETKEYS <full-command>
                    Return the keys from a full Redis command.
                GETKEYSANDFLAGS <full-command>
                    Return the keys and the access flags from a full Redis command.
                HELP
                    Prints this help.
                """.lines().toList();
        out.array(lines.size());
        lines.forEach(out::simple);
    }
}
