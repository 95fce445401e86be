package dev.granary.tools.bench;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.Numbers;
import dev.granary.bench.overlay.OverlayLine;
import dev.granary.bench.overlay.OverlayWorker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the overlay's data structures in their own process, beside maps with an entry for each chunk. */
@Command(
        name = "overlay",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure the CID-tree, the clients' range cache and the names, in a process of its own, beside a HashMap, a"
                    + " primitive hash map and a TreeMap with an entry for each chunk: bytes and nanoseconds of an entry,"
                    + " the experiments of the CID ranges paper again.",
        },
        footer = {
            "",
            "  granary bench overlay --max-ranges 1M --max-chunks 100M --json result.json",
            "",
            "Bytes are heap after a collection; counted is what the structure says itself. Nanoseconds are processor time"
                    + " of the measuring thread; those of the client cache are time of the clock, over loopback.",
        })
public final class BenchOverlayCommand implements Callable<Integer> {

    private static final long HEAP_BYTES = 2L << 30;

    /**
     * Huge pages, because a random lookup mostly waits for memory. Every collection compacts; otherwise three of four
     * collections leave garbage of up to 5 % of the heap in place.
     */
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:+UseTransparentHugePages", "-XX:MarkSweepAlwaysCompactCount=1");

    @Option(
            names = "--max-ranges",
            paramLabel = "N",
            defaultValue = "10M",
            description = "Measure 1,000 ranges, ten times as many, and so on up to this. Default: ${DEFAULT-VALUE}")
    private String maxRanges = "10M";

    @Option(
            names = "--max-chunks",
            paramLabel = "N",
            defaultValue = "1G",
            description =
                    "Measure the paper's experiment with a million chunks, ten times as many, and so on up to this;"
                            + " a billion, as in the paper, take six minutes. Default: ${DEFAULT-VALUE}")
    private String maxChunks = "1G";

    @Option(
            names = "--max-map-chunks",
            paramLabel = "N",
            defaultValue = "10M",
            description =
                    "Leave the maps out beyond so many chunks; 10M take 0.6 GB of heap. Default: ${DEFAULT-VALUE}")
    private String maxMapChunks = "10M";

    @Option(
            names = "--parts",
            paramLabel = "PART",
            split = ",",
            description = "Measure only these: zones, cache, names, ranges, paper. Default: all")
    private List<String> parts = OverlayWorker.EXPERIMENTS;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there, one JSON object a line.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        List<String> arguments;
        try {
            arguments = arguments();
        } catch (BadOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        try (OverlayTable table = new OverlayTable(json)) {
            table.note(Machine.description());
            new MeasuringProcess(MeasuringProcess.ownClassPath(), HEAP_BYTES, JVM_OPTIONS)
                    .run(
                            OverlayWorker.class.getName(),
                            arguments,
                            Map.of(),
                            MeasuringProcess.resultsApart(line -> table.add(OverlayLine.ofJson(line)), table::note));
        }
        return 0;
    }

    private List<String> arguments() {
        long mapChunks = Numbers.count("--max-map-chunks", maxMapChunks);
        if (mapChunks > 10_000_000) {
            throw new BadOptionException("--max-map-chunks is at most 10M, not '" + maxMapChunks + "'");
        }
        long ranges = Numbers.count("--max-ranges", maxRanges);
        if (ranges > 10_000_000) {
            throw new BadOptionException("--max-ranges is at most 10M, not '" + maxRanges + "'");
        }
        for (String part : parts) {
            if (!OverlayWorker.EXPERIMENTS.contains(part)) {
                throw new BadOptionException(
                        "there is no part '" + part + "'; known: " + String.join(", ", OverlayWorker.EXPERIMENTS));
            }
        }
        return List.of(
                Long.toString(ranges),
                Long.toString(Numbers.count("--max-chunks", maxChunks)),
                Long.toString(mapChunks),
                String.join(",", parts));
    }
}
