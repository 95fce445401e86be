package dev.granary.resp.command;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is told of a command to people.
 *
 * @param group {@code string}, {@code hash}, {@code connection}, ...
 * @param flags {@code deprecated}, {@code syscmd}
 */
public record CommandDocs(
        @Nullable String summary,
        @Nullable String since,
        String group,
        @Nullable String complexity,
        List<String> flags,
        @Nullable String deprecatedSince,
        @Nullable String replacedBy,
        List<Change> history,
        List<Argument> arguments) {

    /** What a version has changed. */
    public record Change(String since, String text) {}

    public CommandDocs {
        flags = List.copyOf(flags);
        history = List.copyOf(history);
        arguments = List.copyOf(arguments);
    }
}
