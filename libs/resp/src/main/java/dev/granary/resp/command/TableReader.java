package dev.granary.resp.command;

import dev.granary.resp.command.Command.KeyRange;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a table of commands from text: a fact on each line, a word and what it says. Facts that belong to a fact follow
 * it, one space further in.
 *
 * <pre>
 * command get
 *  arity 2
 *  flags readonly fast
 *  key-spec
 *   flags RO access
 *   begin index 1
 *   find range 0 1 0
 * </pre>
 */
final class TableReader {

    /** A line with the lines that belong to it. */
    private record Fact(String word, String text, List<Fact> parts) {

        /** Returns what the part with a word says, or null. */
        @Nullable
        String text(String wanted) {
            for (Fact part : parts) {
                if (part.word.equals(wanted)) {
                    return part.text;
                }
            }
            return null;
        }

        String need(String wanted) {
            String found = text(wanted);
            if (found == null) {
                throw new IllegalArgumentException("'" + word + " " + text + "' lacks its " + wanted);
            }
            return found;
        }

        List<String> words(String wanted) {
            String found = text(wanted);
            return found == null ? List.of() : List.of(found.split(" ", -1));
        }

        <T> List<T> all(String wanted, Function<Fact, T> made) {
            return parts.stream()
                    .filter(part -> part.word.equals(wanted))
                    .map(made)
                    .toList();
        }
    }

    private TableReader() {}

    static List<Command> read(String text) {
        return tree(text).all("command", fact -> command(fact, ""));
    }

    private static Fact tree(String text) {
        List<Fact> open = new ArrayList<>();
        open.add(new Fact("table", "", new ArrayList<>()));
        for (String line : text.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String content = line.stripLeading();
            int depth = line.length() - content.length();
            if (depth >= open.size()) {
                throw new IllegalArgumentException("'" + line + "' is too far in");
            }
            int space = content.indexOf(' ');
            Fact fact = space < 0
                    ? new Fact(content, "", new ArrayList<>())
                    : new Fact(content.substring(0, space), content.substring(space + 1), new ArrayList<>());
            open.subList(depth + 1, open.size()).clear();
            open.getLast().parts.add(fact);
            open.add(fact);
        }
        return open.getFirst();
    }

    private static Command command(Fact fact, String container) {
        String name = container + fact.text;
        return new Command(
                name,
                Integer.parseInt(fact.need("arity")),
                flags(fact.words("flags")),
                keys(fact),
                fact.words("categories"),
                fact.all("tip", Fact::text),
                fact.all("key-spec", TableReader::keySpec),
                fact.all("command", part -> command(part, name + "|")),
                docs(fact));
    }

    private static EnumSet<CommandFlag> flags(List<String> words) {
        EnumSet<CommandFlag> flags = EnumSet.noneOf(CommandFlag.class);
        for (String word : words) {
            flags.add(CommandFlag.valueOf(word.toUpperCase(Locale.ROOT)));
        }
        return flags;
    }

    private static KeyRange keys(Fact fact) {
        String text = fact.text("keys");
        if (text == null) {
            return KeyRange.NONE;
        }
        int[] numbers = numbers(text, 0);
        return new KeyRange(numbers[0], numbers[1], numbers[2]);
    }

    private static KeySpec keySpec(Fact fact) {
        return new KeySpec(fact.text("notes"), fact.words("flags"), begin(fact.need("begin")), find(fact.need("find")));
    }

    private static KeySpec.Begin begin(String text) {
        String[] words = text.split(" ", -1);
        return switch (words[0]) {
            case "index" -> new KeySpec.Index(Integer.parseInt(words[1]));
            case "keyword" -> new KeySpec.Keyword(words[1], Integer.parseInt(words[2]));
            case "unknown" -> new KeySpec.Unknown();
            default -> throw new IllegalArgumentException("keys that begin with '" + text + "'");
        };
    }

    private static KeySpec.Find find(String text) {
        int[] numbers = numbers(text, 1);
        return switch (text.split(" ", -1)[0]) {
            case "range" -> new KeySpec.Range(numbers[0], numbers[1], numbers[2]);
            case "keynum" -> new KeySpec.KeyNumber(numbers[0], numbers[1], numbers[2]);
            case "unknown" -> new KeySpec.Unknown();
            default -> throw new IllegalArgumentException("keys that are found by '" + text + "'");
        };
    }

    private static int[] numbers(String text, int skipped) {
        return Arrays.stream(text.split(" ", -1))
                .skip(skipped)
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    private static CommandDocs docs(Fact fact) {
        return new CommandDocs(
                fact.text("summary"),
                fact.text("since"),
                fact.need("group"),
                fact.text("complexity"),
                fact.words("doc-flags"),
                fact.text("deprecated-since"),
                fact.text("replaced-by"),
                fact.all("history", TableReader::change),
                fact.all("argument", TableReader::argument));
    }

    private static CommandDocs.Change change(Fact fact) {
        int space = fact.text.indexOf(' ');
        return new CommandDocs.Change(fact.text.substring(0, space), fact.text.substring(space + 1));
    }

    private static Argument argument(Fact fact) {
        String keySpec = fact.text("key-spec-index");
        return new Argument(
                fact.text,
                fact.need("type"),
                keySpec == null ? -1 : Integer.parseInt(keySpec),
                fact.text("token"),
                fact.text("since"),
                fact.text("deprecated-since"),
                fact.words("flags"),
                fact.all("argument", TableReader::argument));
    }
}
