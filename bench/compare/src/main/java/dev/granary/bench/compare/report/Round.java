package dev.granary.bench.compare.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.granary.bench.stores.BgRating;
import dev.granary.bench.stores.StoreWorkload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One round of one store, as docs/formats/benchmark-results.md describes it. */
record Round(
        String time,
        String store,
        String version,
        String client,
        String workload,
        String mode,
        int threads,
        int batch,
        int copies,
        int objects,
        int valueBytes,
        long millis,
        int round,
        double targetPerSecond,
        double opsPerSecond,
        double p50Micros,
        double p95Micros,
        double p99Micros,
        double p999Micros,
        long staleReads,
        long errors,
        @Nullable String firstError,
        double clientCpuNanosPerOp,
        double serverCpuNanosPerOp,
        String serverCpus,
        String clientCpus,
        String machine) {

    private static final ObjectMapper MAPPER =
            new ObjectMapper().configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);

    private static final String KIND = "compare";
    private static final double MILLIS_PER_SECOND = 1e3;

    /**
     * Reads rounds from files. Lines of other kinds are left out.
     *
     * @param places files, or directories whose files that end in {@code .json} are read
     * @throws IllegalArgumentException when a line is no JSON
     */
    static List<Round> readAll(List<Path> places) {
        List<Round> all = new ArrayList<>();
        for (Path place : places) {
            for (Path file : files(place)) {
                read(file, all);
            }
        }
        return all;
    }

    private static List<Path> files(Path place) {
        if (!Files.isDirectory(place)) {
            return List.of(place);
        }
        try (Stream<Path> found = Files.list(place)) {
            return found.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void read(Path file, List<Round> all) {
        try {
            for (String line : Files.readAllLines(file)) {
                if (!line.isBlank()
                        && MAPPER.readTree(line).path("kind").asText().equals(KIND)) {
                    all.add(MAPPER.readValue(line, Round.class));
                }
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(file + " has a line that is no result: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Processor time of an operation, of client and server together. */
    double cpuNanosPerOp() {
        return clientCpuNanosPerOp + serverCpuNanosPerOp;
    }

    boolean isClosed() {
        return mode.equals("closed");
    }

    /** Whether it counts for a rating by the limits of BG. */
    boolean isWithinLimits() {
        double operations = opsPerSecond * millis / MILLIS_PER_SECOND;
        return BgRating.isWithinLimits(p95Micros, staleReads / Math.max(1, operations), errors);
    }

    boolean isRated() {
        return StoreWorkload.of(workload).map(StoreWorkload::isRated).orElse(false);
    }

    boolean isMultiGet() {
        return workload.startsWith("multi-get");
    }
}
