package dev.granary.tools.bench;

import dev.granary.bench.memory.ResultLine;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ExitHook;
import dev.granary.tools.bench.process.ProcessEnd;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A separate Java process that measures. Its standard output has results and notes. */
final class MeasuringProcess {

    private static final long MIB = 1 << 20;
    private static final long END_SECONDS = 60;

    private final String classPath;
    private final long heapBytes;
    private final List<String> options;

    /**
     * Describes a process without starting it.
     *
     * @param classPath the class path of the process
     * @param heapBytes fixed size of its heap, which is in RAM from the start, so that the heap causes no growth of the
     *     process
     * @param options further JVM options
     */
    MeasuringProcess(String classPath, long heapBytes, List<String> options) {
        this.classPath = classPath;
        this.heapBytes = heapBytes;
        this.options = List.copyOf(options);
    }

    /** The class path of this process. */
    static String ownClassPath() {
        return System.getProperty("java.class.path", "");
    }

    /**
     * Runs a main class to its end.
     *
     * @throws UserException when it does not end well; its standard error has been shown
     */
    void run(
            String mainClass,
            List<String> arguments,
            Map<String, String> environment,
            Consumer<ResultLine> results,
            Consumer<String> notes) {
        run(
                mainClass,
                arguments,
                environment,
                resultsApart(result -> results.accept(ResultLine.ofJson(result)), notes));
    }

    /** Runs a main class to its end and hands its results and notes to a table. */
    void run(String mainClass, List<String> arguments, RecoveryTable table) {
        run(mainClass, arguments, Map.of(), resultsApart(table::add, table::note));
    }

    /** Returns a consumer of standard output, which splits lines into results (JSON objects) and notes. */
    static Consumer<String> resultsApart(Consumer<String> results, Consumer<String> notes) {
        return line -> (line.startsWith("{") ? results : notes).accept(line);
    }

    /**
     * Runs a main class to its end.
     *
     * @param output takes the lines of its standard output
     * @throws UserException when it does not end well; its standard error has been shown
     */
    void run(String mainClass, List<String> arguments, Map<String, String> environment, Consumer<String> output) {
        ProcessBuilder builder = builder(mainClass, arguments)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            try (ExitHook _ = ExitHook.begin("end-of-measuring-process", () -> end(process));
                    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    output.accept(line);
                }
                int code = process.waitFor();
                if (code != 0) {
                    throw new UserException("the measuring process ended with code " + code);
                }
            } finally {
                end(process);
            }
        } catch (IOException e) {
            throw new UserException("the measuring process cannot be run: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException("interrupted");
        }
    }

    /** Ends the process. The processes that it has started end with it, which takes a moment. */
    private static void end(Process process) {
        process.destroy();
        ProcessEnd.await(process, END_SECONDS);
    }

    /** A process that runs a main class. Its standard error is that of this one, the rest are pipes. */
    ProcessBuilder builder(String mainClass, List<String> arguments) {
        return new ProcessBuilder(command(mainClass, arguments)).redirectError(ProcessBuilder.Redirect.INHERIT);
    }

    private List<String> command(String mainClass, List<String> arguments) {
        String heap = Math.max(1, (heapBytes + MIB - 1) / MIB) + "m";
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "-Xms" + heap,
                "-Xmx" + heap,
                "-XX:+AlwaysPreTouch",
                "-Duser.language=en",
                "-Duser.country=US",
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, mainClass));
        command.addAll(arguments);
        return command;
    }
}
