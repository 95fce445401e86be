package dev.granary.e2e.kubernetes.program;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program that the tests call as a user would: kubectl, helm, promtool.
 *
 * @param path the program
 * @param fixedArguments the arguments of every call, before the others
 */
public record Program(Path path, List<String> fixedArguments) {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    /**
     * The result of a call.
     *
     * @param exitCode 0 for success
     * @param output standard output and standard error, as a terminal would show them
     */
    public record Result(int exitCode, String output) {}

    /** Calls the program, fails unless it exits with 0, and returns its output. */
    public String run(String... arguments) throws IOException, InterruptedException {
        Result result = call(null, arguments);
        Check.that(
                result.exitCode() == 0,
                "%s %s exited with %d:%n%s",
                path.getFileName(),
                String.join(" ", arguments),
                result.exitCode(),
                result.output());
        return result.output();
    }

    /** Calls the program with the text on its standard input; accepts any exit code. */
    public Result call(@Nullable String input, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(path.toString());
        command.addAll(fixedArguments);
        command.addAll(List.of(arguments));
        Path inputFile = Files.createTempFile("granary-e2e", ".in");
        Path outputFile = Files.createTempFile("granary-e2e", ".out");
        try {
            if (input != null) {
                Files.writeString(inputFile, input);
            }
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(inputFile.toFile())
                    .redirectOutput(outputFile.toFile())
                    .start();
            try {
                Check.that(
                        process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS),
                        "%s did not end within %s",
                        command,
                        TIMEOUT);
            } finally {
                process.destroyForcibly();
            }
            return new Result(process.exitValue(), Files.readString(outputFile, StandardCharsets.UTF_8));
        } finally {
            Files.delete(inputFile);
            Files.delete(outputFile);
        }
    }

    /** Starts the program in the background; its output goes to the log file. The caller ends it. */
    public Process start(File log, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(path.toString());
        command.addAll(fixedArguments);
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
    }
}
