package dev.granary.e2e.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the programs of the distribution the way a user does. */
final class Commands {

    /** Far more than any command takes, even on a busy machine. */
    private static final int LIMIT_SECONDS = 180;

    /** How the build says which JVM options the nodes have that commands start. */
    private static final String NODE_JVM_OPTIONS = "GRANARY_NODE_JVM_OPTIONS";

    private Commands() {}

    /**
     * The result of a program.
     *
     * @param exitCode the exit code of the process
     * @param out its standard output
     * @param err its standard error
     */
    record Outcome(int exitCode, String out, String err) {

        /** Expects success and returns the standard output without surrounding space. */
        String ok() {
            assertThat(exitCode).as("exit code; out: %s; err: %s", out, err).isZero();
            return out.strip();
        }
    }

    /** The distribution whose programs are run: made before the first one is asked for. */
    private static final class Programs {

        static final Path DIRECTORY = CachedDistribution.of(folder("granary.dist"), folder("granary.dist.cached"));

        private static Path folder(String property) {
            String path = System.getProperty(property);
            assertThat(path).as("system property %s", property).isNotNull();
            return Path.of(path).toAbsolutePath().normalize();
        }
    }

    /** Returns the path of a program: granary, storage-node or super-peer. */
    static Path program(String name) {
        return program(Programs.DIRECTORY, name);
    }

    private static Path program(Path distribution, String name) {
        Path path = distribution.resolve("bin").resolve(name);
        assertThat(path)
                .as("the distribution; build it with './granary --version'")
                .isExecutable();
        return path;
    }

    /** Returns a program to start, with a clean environment except for the JDK of this test. */
    static ProcessBuilder builder(String program, Map<String, String> environment, List<String> arguments) {
        return builder(Programs.DIRECTORY, program, environment, arguments);
    }

    /** Does the same with a program of another distribution. */
    static ProcessBuilder builder(
            Path distribution, String program, Map<String, String> environment, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(program(distribution, program).toString());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(key -> key.startsWith("GRANARY_"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("GRANARY_TOOLS", System.getProperty("granary.tools"));
        builder.environment().put(NODE_JVM_OPTIONS, System.getenv().getOrDefault(NODE_JVM_OPTIONS, ""));
        builder.environment().putAll(environment);
        return builder;
    }

    /** Runs a program to its end. */
    static Outcome run(String program, Map<String, String> environment, List<String> arguments) {
        try {
            Path out = Files.createTempFile("granary-out", ".txt");
            Path err = Files.createTempFile("granary-err", ".txt");
            try {
                Process process = builder(program, environment, arguments)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(
                                Path.of("/dev/null").toFile()))
                        .start();
                boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
                if (!ended) {
                    process.destroyForcibly();
                }
                assertThat(ended)
                        .as(
                                "%s %s ends; it said %s %s",
                                program, arguments, Files.readString(out), Files.readString(err))
                        .isTrue();
                return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
            } finally {
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Runs the command line. */
    static Outcome granary(String... arguments) {
        return run("granary", Map.of(), List.of(arguments));
    }
}
