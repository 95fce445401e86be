package dev.granary.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What {@link DemoCommand} refuses before it starts a cluster. */
class DemoCommandTest {

    private final StringBuilder said = new StringBuilder();

    private int demo(String... arguments) {
        CommandLine line = new CommandLine(new DemoCommand());
        line.setExecutionExceptionHandler((e, commandLine, parsed) -> {
            said.append(e.getMessage());
            return 1;
        });
        return line.execute(arguments);
    }

    @ParameterizedTest
    @CsvSource({
        "--storage-peers,0,1 to 64",
        "--storage-peers,65,1 to 64",
        "--super-peers,0,1 to 9",
        "--super-peers,10,1 to 9",
        "--seconds,2,3 to 3600",
        "--seconds,3601,3 to 3600"
    })
    void demo_numberOutOfRange_isRefusedWithTheRange(String option, String value, String range) {
        assertThat(demo(option, value)).isEqualTo(1);
        assertThat(said.toString()).isEqualTo(option + " is " + value + "; allowed are " + range);
    }

    @ParameterizedTest
    @CsvSource({"--needed", "--from", "--to"})
    void demo_unknownPackage_isRefusedBeforeTheClusterStarts(String option) {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            assertThat(demo(option, "libc66")).isEqualTo(1);
        } finally {
            System.setOut(before);
        }
        assertThat(said.toString()).contains("libc66").as("a nearer name").contains("libc6");
        assertThat(output.toString(StandardCharsets.UTF_8)).doesNotContain("The cluster");
    }

    /** A program that reads the one object must find nothing else on standard output. */
    @Test
    void demo_forPrograms_textGoesToStandardError() {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        ByteArrayOutputStream error = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(error, true, StandardCharsets.UTF_8));
        try {
            assertThat(demo("--json", "--to", "no-such-package")).isEqualTo(1);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        assertThat(output.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(error.toString(StandardCharsets.UTF_8)).contains("The graph");
    }
}
