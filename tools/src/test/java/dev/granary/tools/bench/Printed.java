package dev.granary.tools.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** What some work prints on standard output. */
final class Printed {

    private Printed() {}

    /** Work that may throw. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    static List<String> by(Work work) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, UTF_8));
        try {
            work.run();
        } finally {
            System.setOut(before);
        }
        return output.toString(UTF_8).lines().toList();
    }
}
