package dev.granary.tools.demo;

import java.io.PrintStream;
import picocli.CommandLine.Help.Ansi;

/** Where a command tells a person what it does: headings and lines. One thread. */
final class Screen {

    private final PrintStream out;

    Screen(PrintStream out) {
        this.out = out;
    }

    /** A line, bold where colours are shown, with an empty one before it. */
    void heading(String text) {
        out.println();
        out.println(Ansi.AUTO.string("@|bold " + text + "|@"));
        out.flush();
    }

    /** An empty line. */
    void blank() {
        out.println();
    }

    /** An indented line. */
    void text(String text) {
        out.println("  " + text);
        out.flush();
    }
}
