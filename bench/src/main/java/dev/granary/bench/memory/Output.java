package dev.granary.bench.memory;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What a measuring process says: lines of JSON are results, all others are for people. */
public final class Output {

    private final PrintStream out;

    public Output(PrintStream out) {
        this.out = out;
    }

    /** Says nothing: for a warm-up. */
    static Output silent() {
        return new Output(new PrintStream(PrintStream.nullOutputStream(), false, StandardCharsets.UTF_8));
    }

    /** A result. */
    void line(ResultLine line) {
        out.println(line.toJson());
        out.flush();
    }

    /** Something for people. */
    void note(String text) {
        out.println(text);
        out.flush();
    }
}
