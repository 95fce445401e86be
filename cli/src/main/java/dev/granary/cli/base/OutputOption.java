package dev.granary.cli.base;

import java.io.PrintStream;
import picocli.CommandLine.Option;

/** How a command prints state: as text for people, or as JSON or YAML for programs. */
public final class OutputOption {

    /** The form of the output. */
    public enum Format {
        TEXT,
        JSON,
        YAML
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "text for people, json or yaml for programs (default: ${DEFAULT-VALUE}).")
    private Format format = Format.TEXT;

    /** Whether people read the output. */
    public boolean isText() {
        return format == Format.TEXT;
    }

    /**
     * Prints a value as JSON or YAML.
     *
     * @throws IllegalStateException when the output is text, which only the command itself can write
     */
    public void print(Object value, PrintStream out) {
        switch (format) {
            case JSON -> out.println(Json.pretty(value));
            case YAML -> out.print(Yaml.write(value));
            case TEXT -> throw new IllegalStateException("text is printed by the command");
        }
        out.flush();
    }
}
