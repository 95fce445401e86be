package dev.granary.superpeer.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.schema.Layouts;
import dev.granary.schema.RecordCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the layouts of commands and snapshots in docs/formats/super-peer-commands.md with the code. With {@code
 * -Dgranary.docs.update=true} it writes the page.
 */
class CommandPageTest {

    private static final String BEGIN = "<!-- the records, made from the code -->\n";
    private static final String END = "<!-- end of the records -->\n";
    private static final Pattern ROW = Pattern.compile("(?m)^(\\| (\\d+) \\| [^|\\n]* \\|)[^|\\n]*\\|([^|\\n]*\\|)$");

    @Test
    void page_layoutsOfCommands_areThoseOfTheCode() throws IOException {
        Path file = root().resolve("docs/formats/super-peer-commands.md");
        String page = Files.readString(file);
        Map<Integer, Class<?>> types = types();
        String made = ROW.matcher(page).replaceAll(row -> row(row, types));
        int from = made.indexOf(BEGIN) + BEGIN.length();
        made = made.substring(0, from) + records(types) + made.substring(made.indexOf(END));
        if (Boolean.getBoolean("granary.docs.update")) {
            Files.writeString(file, made);
        }
        assertThat(Files.readString(file))
                .as("rewrite the page with -Dgranary.docs.update=true")
                .isEqualTo(made);
    }

    private static Map<Integer, Class<?>> types() {
        Map<Integer, Class<?>> types = new TreeMap<>();
        CommandSamples.ring().forEach(command -> types.put(CommandFormatTest.typeOf(command), command.getClass()));
        CommandSamples.arc().forEach(command -> types.put(command.type(), command.getClass()));
        return types;
    }

    private static String row(MatchResult row, Map<Integer, Class<?>> types) {
        Class<?> type = types.get(Integer.valueOf(row.group(2)));
        return type == null ? row.group() : "%s %s |%s".formatted(row.group(1), fieldsOf(type), row.group(3));
    }

    private static String records(Map<Integer, Class<?>> commands) {
        List<Class<?>> tops = Stream.<Class<?>>concat(
                        commands.values().stream(),
                        SnapshotSamples.all().values().stream().map(Object::getClass))
                .toList();
        String rows = Layouts.withParts(tops).stream()
                .filter(part -> !commands.containsValue(part))
                .map(part ->
                        "| %s | %s |%n".formatted(Layouts.nameOf(part), part.isEnum() ? codesOf(part) : fieldsOf(part)))
                .collect(Collectors.joining());
        return "\n| record | fields |\n|---|---|\n" + rows + "\n";
    }

    private static String codesOf(Class<?> type) {
        return "u8: " + Layouts.codesOf(type);
    }

    private static String fieldsOf(Class<?> type) {
        return RecordCodec.of(type.asSubclass(Record.class)).fields().entrySet().stream()
                .map(field -> field.getKey() + " " + field.getValue())
                .collect(Collectors.joining(", "));
    }

    private static Path root() {
        return Objects.requireNonNull(
                Stream.iterate(Path.of("").toAbsolutePath(), Objects::nonNull, Path::getParent)
                        .filter(directory -> Files.isDirectory(directory.resolve("docs/formats")))
                        .findFirst()
                        .orElse(null),
                "the formats are not above the working directory");
    }
}
