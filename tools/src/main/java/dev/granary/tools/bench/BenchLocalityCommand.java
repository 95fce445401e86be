package dev.granary.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.tools.bench.locality.LocalityMain;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures reads of objects with what they refer to. */
@Command(
        name = "locality",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure reads of objects with what they refer to, and what these refer to. Once chunks are on the storage"
                    + " peers of those that they belong to (near), once on any (anywhere).",
        },
        footer = {
            "",
            "  granary bench locality --json result.json                six minutes",
            "",
            "trees: 73 chunks of 64 B each, a root, 8 children, 64 leaves, which nothing else refers to. packages: those"
                    + " of the Debian archive, and what they need. power-law: people who follow 8 others, a few of them"
                    + " followed by very many. Near is where most of those are that a chunk refers to or that refer to"
                    + " it, as a greedy partitioner finds it; the peers have equally many chunks.",
            "",
            "one-by-one: a get for each chunk. reachable: GranaryClient.getReachable, a batch for each level. known: one"
                    + " batch, for a reader that knew all CIDs. Each line has the medians of all rounds; cpu is the"
                    + " processor time of the cluster and the client for each tree.",
        })
public final class BenchLocalityCommand implements Callable<Integer> {

    private static final String FORMAT = "%-10s %-12s %-10s %12s %11s %13s %9s %9s %9s%n";

    @Option(
            names = "--peers",
            paramLabel = "N",
            defaultValue = "3",
            description = "Storage peers, 1 to 16. Default: ${DEFAULT-VALUE}")
    private int peers = 3;

    @Option(
            names = "--trees",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Trees, or roots of reads in another graph, 1 to 50000. Default: ${DEFAULT-VALUE}")
    private int trees = 5_000;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1",
            description = "Threads that read, 1 to 64. Default: ${DEFAULT-VALUE}")
    private int threads = 1;

    @Option(
            names = "--millis",
            paramLabel = "N",
            defaultValue = "2000",
            description = "How long each measurement takes, 1 to 600000. Default: ${DEFAULT-VALUE}")
    private int millis = 2_000;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often each is measured, 1 to 100. Default: ${DEFAULT-VALUE}")
    private int rounds = 5;

    @Option(
            names = "--graphs",
            paramLabel = "GRAPH",
            split = ",",
            description = "Measure only these: trees, packages, power-law. Default: all")
    private List<String> graphs = LocalityMain.GRAPHS;

    @Mixin
    private ClusterMeasurement measurement = new ClusterMeasurement();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        BenchOptions.requireRange(spec, "--peers", peers, 16);
        BenchOptions.requireRange(spec, "--trees", trees, 50_000);
        BenchOptions.requireRange(spec, "--threads", threads, 64);
        BenchOptions.requireRange(spec, "--millis", millis, 600_000);
        BenchOptions.requireRange(spec, "--rounds", rounds, 100);
        BenchOptions.requireNames(spec, "--graphs", graphs, LocalityMain.GRAPHS);
        measurement.run(
                LocalityMain.class,
                work -> List.of(
                        Integer.toString(millis),
                        Integer.toString(rounds),
                        Integer.toString(peers),
                        Integer.toString(trees),
                        Integer.toString(threads),
                        work.resolve("cluster").toString(),
                        String.join(",", graphs)),
                FORMAT.formatted(
                        "graph", "case", "place", "peers/tree", "trees/s", "objects/s", "p50 us", "p99 us", "cpu us"),
                BenchLocalityCommand::show);
        return 0;
    }

    private static void show(JsonNode line) {
        System.out.printf(
                FORMAT,
                line.path("graph").asText(),
                line.path("case").asText(),
                line.path("place").asText(),
                line.path("peersPerTree").asText(),
                line.path("treesPerSecond").asText(),
                "%,d".formatted(line.path("objectsPerSecond").asLong()),
                line.path("p50Micros").asText(),
                line.path("p99Micros").asText(),
                line.path("cpuMicrosPerTree").asText());
    }
}
