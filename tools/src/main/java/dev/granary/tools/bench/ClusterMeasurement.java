package dev.granary.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.bench.memory.Machine;
import dev.granary.cli.base.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * A measurement on clusters of this machine by a process of its own, which prints each result as a line of JSON. Has
 * the options that such commands share.
 */
final class ClusterMeasurement {

    private static final long HEAP_BYTES = 512L << 20;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Where clusters keep their files. Default: a temporary directory")
    private @Nullable Path directory;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there, one JSON object a line.")
    private @Nullable Path json;

    /**
     * Measures.
     *
     * @param main the main class of the process
     * @param arguments its arguments, which depend on the folder for files
     * @param heads the line above the results
     * @param show prints a result as a line
     */
    void run(Class<?> main, Function<Path, List<String>> arguments, String heads, Consumer<JsonNode> show)
            throws IOException {
        try (PrintWriter file = BenchOptions.open(json);
                WorkDirectory work = WorkDirectory.make(directory)) {
            System.out.println("  " + Machine.description());
            System.out.print(heads);
            new MeasuringProcess(MeasuringProcess.ownClassPath(), HEAP_BYTES, List.of())
                    .run(
                            main.getName(),
                            arguments.apply(work.path()),
                            Map.of(),
                            MeasuringProcess.resultsApart(
                                    line -> take(line, file, show), note -> System.err.println("  " + note + " ...")));
        }
    }

    private static void take(String line, @Nullable PrintWriter file, Consumer<JsonNode> show) {
        if (file != null) {
            file.println(line);
        }
        show.accept(Json.parse("a result", line));
    }
}
