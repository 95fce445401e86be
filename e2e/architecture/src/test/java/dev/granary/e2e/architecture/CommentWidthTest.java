package dev.granary.e2e.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Comments and documents have at most 120 columns, like the code; the formatter does not check them (ADR 0225). */
class CommentWidthTest {

    private static final int COLUMNS = 120;

    @Test
    void javaSources_theirComments_areNotTooWide() {
        List<Path> sources = Sources.java();
        assertThat(sources).as("sources that were read").hasSizeGreaterThan(1000);
        List<String> wide = new ArrayList<>();
        for (Path file : sources) {
            for (int line : wideComments(Sources.read(file))) {
                wide.add(Sources.name(file) + ":" + line);
            }
        }
        assertThat(wide).as("comments of more than %d columns", COLUMNS).isEmpty();
    }

    @Test
    void scripts_theirComments_areNotTooWide() {
        List<Path> scripts = Sources.scripts();
        assertThat(scripts.stream().map(Sources::name)).contains("check", "granary", "build/tools.sh", ".ci/run");
        List<String> wide = new ArrayList<>();
        for (Path file : scripts) {
            List<String> lines = Sources.read(file).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).stripLeading().startsWith("#") && columns(lines.get(i)) > COLUMNS) {
                    wide.add(Sources.name(file) + ":" + (i + 1));
                }
            }
        }
        assertThat(wide).as("comments of more than %d columns", COLUMNS).isEmpty();
    }

    /** Except for tables, quotes from terminals and files, and addresses. */
    @Test
    void documents_theirProse_isNotTooWide() {
        List<Path> documents = Sources.documents();
        assertThat(documents).as("documents that were read").hasSizeGreaterThan(200);
        List<String> wide = new ArrayList<>();
        for (Path file : documents) {
            boolean quoted = false;
            List<String> lines = Sources.read(file).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).strip();
                quoted ^= line.startsWith("```");
                boolean table = line.startsWith("|");
                boolean address = line.matches("\\[.*]: .*") || !line.contains(" ");
                if (!quoted && !table && !address && columns(lines.get(i)) > COLUMNS) {
                    wide.add(Sources.name(file) + ":" + (i + 1));
                }
            }
        }
        assertThat(wide).as("lines of more than %d columns", COLUMNS).isEmpty();
    }

    @Test
    void wideComments_inCodeStringsAndComments_onlyCommentsAreSeen() {
        String filler = "x".repeat(COLUMNS);
        String source = String.join(
                "\n",
                "// " + filler,
                "String a = \"// " + filler + "\";",
                "/* short",
                " * " + filler,
                " */ int b" + filler + ";",
                "char c = '\"'; // " + filler,
                "String d = \"\"\"",
                "  // \\\"\"\" " + filler,
                "  \"\"\"; /** " + filler + " */",
                "String e = \"\\\"\" + 1; // short",
                "int " + filler + "; // not wide by its own doing, and wide all the same");
        assertThat(wideComments(source)).containsExactly(1, 4, 6, 9, 11);
    }

    private static int columns(String line) {
        return line.codePointCount(0, line.length());
    }

    /** Returns the lines, counted from one, on which a comment goes beyond the last column. */
    private static List<Integer> wideComments(String source) {
        List<Integer> wide = new ArrayList<>();
        Part part = Part.CODE;
        int number = 0;
        for (String line : source.split("\n", -1)) {
            number++;
            int column = 0;
            boolean isWide = false;
            for (int at = 0; at < line.length(); ) {
                int taken = part.taken(line, at);
                Part next = part.next(line, at);
                isWide |= (next.isComment() || part.isComment()) && column + taken > COLUMNS;
                column += line.codePointCount(at, at + taken);
                at += taken;
                part = next;
            }
            if (isWide) {
                wide.add(number);
            }
            if (part == Part.LINE_COMMENT) {
                part = Part.CODE;
            }
        }
        return wide;
    }

    /** The part of a source to which a character belongs. */
    private enum Part {
        CODE,
        STRING,
        TEXT_BLOCK,
        CHARACTER,
        LINE_COMMENT,
        BLOCK_COMMENT;

        boolean isComment() {
            return this == LINE_COMMENT || this == BLOCK_COMMENT;
        }

        /**
         * Returns how many characters one step takes: a mark as a whole, and an escaped character with its backslash.
         */
        int taken(String line, int at) {
            String mark =
                    switch (this) {
                        case CODE -> line.startsWith("\"\"\"", at) ? "\"\"\"" : line.startsWith("/*", at) ? "/*" : "";
                        case TEXT_BLOCK -> line.startsWith("\"\"\"", at) ? "\"\"\"" : "";
                        case BLOCK_COMMENT -> line.startsWith("*/", at) ? "*/" : "";
                        default -> "";
                    };
            boolean escape = !isComment() && this != CODE && line.charAt(at) == '\\';
            return Math.min(line.length() - at, escape ? 2 : Math.max(1, mark.length()));
        }

        /** Returns the part that follows that step. */
        Part next(String line, int at) {
            char first = line.charAt(at);
            return switch (this) {
                case CODE -> {
                    if (line.startsWith("//", at)) {
                        yield LINE_COMMENT;
                    }
                    if (line.startsWith("/*", at)) {
                        yield BLOCK_COMMENT;
                    }
                    if (line.startsWith("\"\"\"", at)) {
                        yield TEXT_BLOCK;
                    }
                    yield first == '"' ? STRING : first == '\'' ? CHARACTER : CODE;
                }
                case STRING -> first == '"' ? CODE : STRING;
                case CHARACTER -> first == '\'' ? CODE : CHARACTER;
                case TEXT_BLOCK -> line.startsWith("\"\"\"", at) ? CODE : TEXT_BLOCK;
                case BLOCK_COMMENT -> line.startsWith("*/", at) ? CODE : BLOCK_COMMENT;
                case LINE_COMMENT -> LINE_COMMENT;
            };
        }
    }
}
