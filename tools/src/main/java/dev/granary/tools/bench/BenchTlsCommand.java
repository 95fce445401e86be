package dev.granary.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.tools.bench.tls.TlsMain;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what TLS costs. */
@Command(
        name = "tls",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure what TLS costs: the same work on a cluster with it and on one without, in turn, each of one"
                    + " super-peer and one storage peer of this machine.",
        },
        footer = {
            "",
            "  granary bench tls --json result.json                     four minutes",
            "",
            "get, put: chunks of 64 B by the Java client, 1 or 16 requests under way, or two batches of 1,000 chunks."
                    + " door-get: a key of 64 B at the door by one connection, 1 or 16 requests in one write. share is"
                    + " the rate with TLS by the rate without; p99 is that of one request, or one pipeline. cpu is the"
                    + " processor time of the cluster's processes and the client for each chunk or key, which others"
                    + " on the machine change less than rates. The lines of a case end with the medians.",
        })
public final class BenchTlsCommand implements Callable<Integer> {

    private static final String FORMAT = "%-12s %-7s %10s %10s %7s %9s %9s %8s %9s %9s%n";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "3",
            description = "How long each measurement takes, 0.1 to 600. Default: ${DEFAULT-VALUE}")
    private double seconds = 3;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "4",
            description = "How often each case is measured with and without, 1 to 100. Default: ${DEFAULT-VALUE}")
    private int rounds = 4;

    @Option(names = "--cases", paramLabel = "CASE", split = ",", description = "Measure only these. Default: all")
    private List<String> cases = TlsMain.CASES;

    @Mixin
    private ClusterMeasurement measurement = new ClusterMeasurement();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        long millis = BenchOptions.millis(spec, seconds, 600);
        BenchOptions.requireRange(spec, "--rounds", rounds, 100);
        BenchOptions.requireCases(spec, cases, TlsMain.CASES);
        measurement.run(
                TlsMain.class,
                work -> List.of(
                        Long.toString(millis), Integer.toString(rounds), String.join(",", cases), work.toString()),
                FORMAT.formatted(
                        "case", "round", "plain/s", "tls/s", "share", "cpu us", "tls", "ratio", "p99 us", "tls"),
                BenchTlsCommand::show);
        return 0;
    }

    private static void show(JsonNode line) {
        System.out.printf(
                FORMAT,
                line.path("case").asText(),
                line.path("round").asText(),
                "%,d".formatted(line.path("plainPerSecond").asLong()),
                "%,d".formatted(line.path("tlsPerSecond").asLong()),
                line.path("share").asText(),
                line.path("plainCpuMicros").asText(),
                line.path("tlsCpuMicros").asText(),
                line.path("cpuRatio").asText(),
                "%,d".formatted(line.path("plainP99Micros").asLong()),
                "%,d".formatted(line.path("tlsP99Micros").asLong()));
    }
}
