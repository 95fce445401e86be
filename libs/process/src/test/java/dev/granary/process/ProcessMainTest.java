package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@link SampleProgram} as a real child process. */
class ProcessMainTest {

    private static final long LIMIT_SECONDS = 60;

    @TempDir
    Path directory = Path.of("");

    private final List<Process> children = new ArrayList<>();

    @AfterEach
    void endChildren() {
        children.forEach(Process::destroyForcibly);
    }

    @Test
    void leaveOutLeakDetection_nobodyHasAskedForIt_switchesItOffAndKeepsWhatWasAskedFor() {
        String key = "io.netty.leakDetection.level";
        String before = System.getProperty(key);
        try {
            System.clearProperty(key);
            ProcessMain.leaveOutLeakDetection();
            assertThat(System.getProperty(key)).isEqualTo("disabled");
            System.setProperty(key, "paranoid");
            ProcessMain.leaveOutLeakDetection();
            assertThat(System.getProperty(key)).isEqualTo("paranoid");
        } finally {
            if (before == null) {
                System.clearProperty(key);
            } else {
                System.setProperty(key, before);
            }
        }
    }

    @Test
    void run_sigterm_stopsAndExitsWith0() throws Exception {
        Process child = start("run", "json");
        awaitLine(child, "sample runs");

        child.destroy();

        assertThat(exitCode(child)).isZero();
        assertThat(output()).contains("sample stopped its work").contains("\"exitCode\":\"0\"");
        assertThat(output().lines().filter(line -> line.contains("\"formattedMessage\"")))
                .isNotEmpty()
                .allMatch(line -> line.startsWith("{") && line.endsWith("}"));
    }

    @Test
    void run_failureFromInside_stopsAndExitsWith1() throws Exception {
        Process child = start("fail", "text");

        assertThat(exitCode(child)).isEqualTo(1);
        assertThat(output()).contains("sample stops: it was told to").contains("sample stopped its work");
    }

    @Test
    void run_startThrows_exitsWith1AndSaysWhy() throws Exception {
        Process child = start("throw", "text");

        assertThat(exitCode(child)).isEqualTo(1);
        assertThat(output()).contains("sample cannot start: planted").doesNotContain("sample stopped its work");
    }

    @Test
    void run_wrongConfiguration_exitsWith2AndNamesTheKey() throws Exception {
        Process child = start("nothing", "text");

        assertThat(exitCode(child)).isEqualTo(2);
        assertThat(output())
                .contains("sample: wrong configuration")
                .contains(
                        "sample.mode: the value 'nothing' is none of them; allowed: one of run, fail, throw, conflict");
    }

    @Test
    void run_keysThatDoNotFitTogether_exitsWith2() throws Exception {
        Process child = start("conflict", "text");

        assertThat(exitCode(child)).isEqualTo(2);
        assertThat(output()).contains("sample.mode: the value 'conflict' fits nothing; allowed: anything else");
    }

    @Test
    void run_help_printsKeysAndExitsWith0() throws Exception {
        Process child = launch(List.of("--help"), "run", "text");

        assertThat(exitCode(child)).isZero();
        assertThat(output())
                .contains("Usage: sample [--config FILE]")
                .contains("sample.mode")
                .contains("Exit codes");
    }

    @Test
    void run_unknownArgument_exitsWith2() throws Exception {
        Process child = launch(List.of("--confg", "x"), "run", "text");

        assertThat(exitCode(child)).isEqualTo(2);
        assertThat(output()).contains("unknown argument '--confg'");
    }

    private Process start(String mode, String format) throws IOException {
        Path file = Files.writeString(directory.resolve("sample.properties"), "log.format=" + format + "\n");
        return launch(List.of("--config", file.toString()), mode, format);
    }

    private Process launch(List<String> args, String mode, String format) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                SampleProgram.class.getName()));
        command.addAll(args);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile());
        builder.environment().put("GRANARY_SAMPLE_MODE", mode);
        builder.environment().put("GRANARY_LOG_FORMAT", format);
        Process child = builder.start();
        children.add(child);
        return child;
    }

    private void awaitLine(Process child, String text) throws Exception {
        while (!output().contains(text)) {
            assertThat(child.waitFor(20, TimeUnit.MILLISECONDS))
                    .as("ended early: %s", output())
                    .isFalse();
        }
    }

    private int exitCode(Process child) throws Exception {
        assertThat(child.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
                .as("still runs: %s", output())
                .isTrue();
        return child.exitValue();
    }

    private String output() throws IOException {
        Path file = directory.resolve("output");
        return Files.exists(file) ? Files.readString(file, StandardCharsets.UTF_8) : "";
    }
}
