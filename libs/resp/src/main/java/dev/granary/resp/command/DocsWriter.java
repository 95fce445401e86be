package dev.granary.resp.command;

import dev.granary.resp.ReplyWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@code COMMAND DOCS} tells of commands, to people and to clients that complete what people type. */
final class DocsWriter {

    /** Writes a map from the names of commands to what is told of them. */
    void write(List<Command> commands, ReplyWriter out) {
        out.map(commands.size());
        for (Command command : commands) {
            out.bulk(command.name());
            write(command, out);
        }
    }

    private void write(Command command, ReplyWriter out) {
        CommandDocs docs = command.docs();
        out.map(1
                + count(docs.summary(), docs.since(), docs.complexity(), docs.deprecatedSince(), docs.replacedBy())
                + count(docs.flags(), docs.history(), docs.arguments(), command.subcommands()));
        text("summary", docs.summary(), out);
        text("since", docs.since(), out);
        text("group", docs.group(), out);
        text("complexity", docs.complexity(), out);
        if (!docs.flags().isEmpty()) {
            out.bulk("doc_flags");
            InfoWriter.simpleSet(docs.flags(), out);
        }
        text("deprecated_since", docs.deprecatedSince(), out);
        text("replaced_by", docs.replacedBy(), out);
        if (!docs.history().isEmpty()) {
            out.bulk("history");
            history(docs.history(), out);
        }
        if (!docs.arguments().isEmpty()) {
            out.bulk("arguments");
            arguments(docs.arguments(), out);
        }
        if (!command.subcommands().isEmpty()) {
            out.bulk("subcommands");
            write(command.subcommands(), out);
        }
    }

    private static void history(List<CommandDocs.Change> history, ReplyWriter out) {
        out.set(history.size());
        for (CommandDocs.Change change : history) {
            out.array(2);
            out.bulk(change.since());
            out.bulk(change.text());
        }
    }

    private static void arguments(List<Argument> arguments, ReplyWriter out) {
        out.array(arguments.size());
        for (Argument argument : arguments) {
            out.map(2
                    + count(argument.token(), argument.since(), argument.deprecatedSince())
                    + count(argument.flags())
                    + (argument.keySpec() >= 0 ? 1 : 0)
                    + (argument.hasParts() ? 1 : 0));
            text("name", argument.name(), out);
            text("type", argument.type(), out);
            if (argument.keySpec() >= 0) {
                out.bulk("key_spec_index");
                out.integer(argument.keySpec());
            }
            text("token", argument.token(), out);
            text("since", argument.since(), out);
            text("deprecated_since", argument.deprecatedSince(), out);
            if (!argument.flags().isEmpty()) {
                out.bulk("flags");
                InfoWriter.simpleSet(argument.flags(), out);
            }
            if (argument.hasParts()) {
                out.bulk("arguments");
                arguments(argument.parts(), out);
            }
        }
    }

    private static void text(String name, @Nullable String value, ReplyWriter out) {
        if (value != null) {
            out.bulk(name);
            out.bulk(value);
        }
    }

    private static int count(@Nullable String... texts) {
        int count = 0;
        for (String text : texts) {
            count += text == null ? 0 : 1;
        }
        return count;
    }

    private static int count(List<?>... lists) {
        int count = 0;
        for (List<?> list : lists) {
            count += list.isEmpty() ? 0 : 1;
        }
        return count;
    }
}
