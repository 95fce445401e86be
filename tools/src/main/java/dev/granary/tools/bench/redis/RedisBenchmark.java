package dev.granary.tools.bench.redis;

import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.process.ProcessFigures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The redis-benchmark of Redis, as a process for each run. */
final class RedisBenchmark {

    private static final int FIELDS = 8;
    private static final double MICROS_PER_MILLI = 1e3;

    private final Path executable;
    private final MeasuredStore store;
    private final int connections;
    private final long keys;
    private final int valueBytes;

    RedisBenchmark(Path executable, MeasuredStore store, int connections, long keys, int valueBytes) {
        this.executable = executable;
        this.store = store;
        this.connections = connections;
        this.keys = keys;
        this.valueBytes = valueBytes;
    }

    /**
     * What it found.
     *
     * @param requests requests
     * @param seconds seconds by its own count
     * @param serverNanos processor time of the store meanwhile
     * @param p50Micros half of the latencies are below, of the worst run
     * @param p99Micros 99 of 100 are below, of the worst run
     */
    record Found(long requests, double seconds, long serverNanos, double p50Micros, double p99Micros) {

        Found plus(Found other) {
            return new Found(
                    requests + other.requests,
                    seconds + other.seconds,
                    serverNanos + other.serverNanos,
                    Math.max(p50Micros, other.p50Micros),
                    Math.max(p99Micros, other.p99Micros));
        }

        double perSecond() {
            return requests / seconds;
        }

        double serverNanosEach() {
            return (double) serverNanos / requests;
        }
    }

    /** Runs one of its tests with random keys. */
    Found run(String test, int pipeline, long requests) throws IOException, InterruptedException {
        List<String> command = List.of(
                executable.toString(),
                "-h",
                store.addresses().getFirst().getAddress().getHostAddress(),
                "-p",
                Integer.toString(store.addresses().getFirst().getPort()),
                "-c",
                Integer.toString(connections),
                "-P",
                Integer.toString(pipeline),
                "-n",
                Long.toString(requests),
                "-r",
                Long.toString(keys),
                "-d",
                Integer.toString(valueBytes),
                "-t",
                test,
                "--csv");
        long before = ProcessFigures.cpuNanos(store.servers());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            List<String> output = lines.readAllLines();
            if (process.waitFor() != 0) {
                throw new UserException(executable + " failed: " + String.join(" / ", output));
            }
            return parse(test, requests, ProcessFigures.cpuNanos(store.servers()) - before, output);
        } finally {
            process.destroy();
            process.waitFor(1, TimeUnit.SECONDS);
        }
    }

    /** Reads its line of a test: name, requests a second, milliseconds: mean, least, p50, p95, p99 and most. */
    static Found parse(String test, long requests, long serverNanos, List<String> output) {
        String name = "\"" + test.toUpperCase(Locale.ROOT) + "\",";
        String[] fields = output.stream()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .orElseThrow(
                        () -> new UserException("redis-benchmark printed no result: " + String.join(" / ", output)))
                .replace("\"", "")
                .split(",", -1);
        if (fields.length != FIELDS) {
            throw new UserException("redis-benchmark printed other fields: " + String.join(",", fields));
        }
        double perSecond = Double.parseDouble(fields[1]);
        return new Found(
                requests,
                requests / perSecond,
                serverNanos,
                Double.parseDouble(fields[4]) * MICROS_PER_MILLI,
                Double.parseDouble(fields[6]) * MICROS_PER_MILLI);
    }
}
