package dev.granary.tools.demo;

import java.io.PrintStream;
import picocli.CommandLine.Help.Ansi;

/** Shows the steps of a command to a person, as headings and lines. For one thread. */
final class Screen {

    private final PrintStream out;

    Screen(PrintStream out) {
        this.out = out;
    }

    /** Prints a heading after an empty line, in bold where the terminal shows colours. */
    void heading(String text) {
        out.println();
        out.println(Ansi.AUTO.string("@|bold " + text + "|@"));
        out.flush();
    }

    /** Prints an empty line. */
    void blank() {
        out.println();
    }

    /** Prints an indented line. */
    void text(String text) {
        out.println("  " + text);
        out.flush();
    }
}
