package dev.granary.net.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.granary.schema.Layouts;
import dev.granary.schema.RecordCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * docs/formats/protocol.md says which records a message consists of and how they are laid out, as the code does. With
 * {@code -Dgranary.docs.update=true} the page is written.
 */
class ProtocolPageTest {

    private static final String BEGIN = "<!-- the table of records, made from the code -->\n";
    private static final String END = "<!-- end of the table of records -->\n";
    private static final Pattern ROW =
            Pattern.compile("(?m)^(\\| (\\d+) \\| [a-z-]+ \\|[^|\\n]*\\|)[^|\\n]*\\|[^|\\n]*\\|$");
    private static final Pattern PARAM = Pattern.compile("@param (\\w+) (.*?)(?=@param|\\z)", Pattern.DOTALL);

    @Test
    void page_recordsOfMessages_areThoseOfTheCode() throws IOException {
        Path file = root().resolve("docs/formats/protocol.md");
        String page = Files.readString(file);
        String made = ROW.matcher(page).replaceAll(ProtocolPageTest::row);
        int from = made.indexOf(BEGIN) + BEGIN.length();
        made = made.substring(0, from) + records() + made.substring(made.indexOf(END));
        if (Boolean.getBoolean("granary.docs.update")) {
            Files.writeString(file, made);
        }
        assertThat(Files.readString(file))
                .as("to rewrite the page run this test with -Dgranary.docs.update=true")
                .isEqualTo(made);
    }

    private static String row(MatchResult row) {
        return MessageType.CONTROL.stream()
                .filter(type -> type.code() == Integer.parseInt(row.group(2)))
                .map(type -> "%s %s | %s |".formatted(row.group(1), cell(type.request()), cell(type.reply())))
                .findFirst()
                .orElse(row.group());
    }

    private static String cell(Class<?> type) {
        return type == Empty.class ? "–" : Layouts.nameOf(type);
    }

    private static String records() throws IOException {
        List<Class<?>> tops = Stream.<Class<?>>concat(
                        Stream.of(ErrorReply.class),
                        MessageType.CONTROL.stream().flatMap(type -> Stream.of(type.request(), type.reply())))
                .toList();
        StringBuilder records = new StringBuilder("\n| record | field | bytes | meaning |\n|---|---|---|---|\n");
        StringBuilder codes = new StringBuilder("\n| codes | one byte |\n|---|---|\n");
        for (Class<?> type : Layouts.withParts(tops)) {
            if (type.isEnum()) {
                codes.append("| %s | %s |%n".formatted(Layouts.nameOf(type), Layouts.codesOf(type)));
                continue;
            }
            Map<String, String> meanings = meaningsOf(type);
            String name = Layouts.nameOf(type);
            for (Map.Entry<String, String> field :
                    RecordCodec.of(type.asSubclass(Record.class)).fields().entrySet()) {
                records.append("| %s | %s | %s | %s |%n"
                        .formatted(name, field.getKey(), field.getValue(), meanings.getOrDefault(field.getKey(), "")));
                name = "";
            }
        }
        return records.append(codes).append("\n").toString();
    }

    /** What the doc comment of a record says of its components. */
    private static Map<String, String> meaningsOf(Class<?> type) throws IOException {
        String path = "src/main/java/" + type.getNestHost().getName().replace('.', '/') + ".java";
        Path file = Stream.of("libs/net", "libs/overlay")
                .map(module -> root().resolve(module).resolve(path))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow();
        String source = Files.readString(file);
        Class<?> outer = type.getEnclosingClass();
        int from = outer != null && outer.isRecord() ? source.indexOf("record " + outer.getSimpleName() + "(") : 0;
        int declaration = source.indexOf("record " + type.getSimpleName() + "(", from);
        int end = source.lastIndexOf("*/", declaration);
        Map<String, String> meanings = new HashMap<>();
        if (end >= 0 && source.substring(end, declaration).indexOf(';') < 0) {
            String comment = source.substring(source.lastIndexOf("/**", end), end)
                    .replaceAll("\\n *\\*", " ")
                    .replaceAll("\\{@\\w+ ([^}]*)}", "$1")
                    .replaceAll("\\s+", " ");
            PARAM.matcher(comment)
                    .results()
                    .forEach(
                            param -> meanings.put(param.group(1), param.group(2).strip()));
        }
        return meanings;
    }

    private static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.isDirectory(directory.resolve("docs/formats"))) {
            directory = directory.getParent();
        }
        return Objects.requireNonNull(directory, "the formats are not above the working directory");
    }
}
