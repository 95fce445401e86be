package dev.granary.bench.memory;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The output of a measuring process: lines of JSON are results, all others are for people. */
public final class Output {

    private final PrintStream out;

    public Output(PrintStream out) {
        this.out = out;
    }

    /** An output that prints nothing, for a warm-up. */
    static Output silent() {
        return new Output(new PrintStream(PrintStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    }

    /** Prints a result. */
    void line(ResultLine line) {
        out.println(line.toJson());
        out.flush();
    }

    /** Prints a line for people. */
    void note(String text) {
        out.println(text);
        out.flush();
    }
}
