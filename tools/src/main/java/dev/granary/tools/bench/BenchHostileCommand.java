package dev.granary.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.tools.bench.hostile.HostileCases;
import dev.granary.tools.bench.hostile.HostileMain;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what well-behaved clients get beside hostile ones. */
@Command(
        name = "hostile",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure what well-behaved clients get alone and beside each kind of hostile client, on a cluster of one"
                    + " super-peer and one storage peer of this machine.",
        },
        footer = {
            "",
            "  granary bench hostile --json result.json                     three minutes",
            "",
            "The well-behaved clients are two threads that get chunks of 64 B by the Java client, one at a time, and one"
                    + " that gets a key at the door. Beside each case they are measured alone first. goodShare is the rate"
                    + " beside by the rate alone, rssBytes the most that all processes of the cluster had in RAM. The"
                    + " hostile clients run on the same machine, and only while nobody else wants its"
                    + " processors (SCHED_IDLE; without chrt: nice 19).",
            "",
            "idle-connections: 10,000 connections to all ports that say nothing. half-frames: 1,000 connections that"
                    + " greet and send half a frame of 256 KiB. large-frames-before-hello: 1,000 that begin a frame of 16"
                    + " MiB and have not greeted. no-reading: 100 that get a key of 4 KiB without end and read nothing."
                    + " largest-requests: four puts of 8 MiB a second. handshake-storm: 1,000 connections a second that"
                    + " greet and go. hot-key: one key, 5,000 times a second. client-ids: 20,000 puts a second, each of"
                    + " another client. Connections that are closed are opened again.",
        })
public final class BenchHostileCommand implements Callable<Integer> {

    private static final String FORMAT = "%-26s %9s %10s %10s %8s %11s %10s%n";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "8",
            description = "How long each measurement takes, 0.1 to 600. Default: ${DEFAULT-VALUE}")
    private double seconds = 8;

    @Option(names = "--cases", paramLabel = "CASE", split = ",", description = "Measure only these. Default: all")
    private List<String> cases = HostileCases.NAMES;

    @Mixin
    private ClusterMeasurement measurement = new ClusterMeasurement();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException {
        long millis = BenchOptions.millis(spec, seconds, 600);
        BenchOptions.requireCases(spec, cases, HostileCases.NAMES);
        measurement.run(
                HostileMain.class,
                work -> List.of(Long.toString(millis), String.join(",", cases), work.toString()),
                FORMAT.formatted("case", "good/s", "goodShare", "p99 us", "errors", "alone p99", "MB in RAM"),
                BenchHostileCommand::show);
        return 0;
    }

    private static void show(JsonNode line) {
        System.out.printf(
                FORMAT,
                line.path("case").asText(),
                number("%,.0f", line, "goodPerSecond", 1),
                number("%.2f", line, "goodShare", 1),
                number("%,.0f", line, "p99Micros", 1),
                number("%,.0f", line, "goodErrors", 1),
                number("%,.0f", line, "aloneP99Micros", 1),
                number("%,.0f", line, "rssBytes", 1e-6));
    }

    private static String number(String format, JsonNode line, String field, double factor) {
        JsonNode value = line.path(field);
        return value.isNumber() ? String.format(Locale.ROOT, format, value.asDouble() * factor) : "-";
    }
}
