package dev.granary.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.tools.bench.metrics.MetricsMain;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what metrics cost. */
@Command(
        name = "metrics",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure what metrics cost a storage peer: the time to count and time a request, by the processor time that"
                    + " the storage peer takes for one, in one run.",
        },
        footer = {
            "",
            "  granary bench metrics --json result.json                 one minute",
            "",
            "request: processor time of the storage peer's process for a get of 64 B by the Java client, 16 under way;"
                    + " that is the request that costs it least. record: the same counters as the storage peer's, in the"
                    + " measuring process, used by one thread; shared: by two threads without a pause, which is more"
                    + " than any load does. share is record by request, in percent: what throughput could gain at most"
                    + " without these metrics.",
        })
public final class BenchMetricsCommand implements Callable<Integer> {

    private static final String FORMAT = "%-7s %11s %11s %10s %10s %8s %8s%n";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How long each measurement takes, 0.1 to 600. Default: ${DEFAULT-VALUE}")
    private double seconds = 3;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "How often each is measured, 1 to 100. Default: ${DEFAULT-VALUE}")
    private int rounds = 5;

    @Mixin
    private ClusterMeasurement measurement = new ClusterMeasurement();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        long millis = BenchOptions.millis(spec, seconds, 600);
        BenchOptions.requireRange(spec, "--rounds", rounds, 100);
        measurement.run(
                MetricsMain.class,
                work -> List.of(Long.toString(millis), Integer.toString(rounds), work.toString()),
                FORMAT.formatted("round", "gets/s", "request ns", "record ns", "shared ns", "share %", "shared %"),
                BenchMetricsCommand::show);
        return 0;
    }

    private static void show(JsonNode line) {
        System.out.printf(
                FORMAT,
                line.path("round").asText(),
                "%,d".formatted(line.path("getsPerSecond").asLong()),
                "%,d".formatted(line.path("requestNanos").asLong()),
                line.path("recordNanos").asText(),
                line.path("sharedNanos").asText(),
                line.path("sharePercent").asText(),
                line.path("sharedPercent").asText());
    }
}
