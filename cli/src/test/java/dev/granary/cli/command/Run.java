package dev.granary.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.granary.cli.GranaryCommand;
import dev.granary.cli.base.CommandLogging;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

/** A command line that was run in this process. */
public record Run(int code, String output, String error) {

    public static Run of(String... arguments) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, UTF_8));
        System.setErr(new PrintStream(error, true, UTF_8));
        try {
            CommandLogging.configure(); // as main does; it sends warnings to the standard error of this run
            int code = GranaryCommand.execute(arguments);
            return new Run(code, output.toString(UTF_8), error.toString(UTF_8));
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
    }
}
