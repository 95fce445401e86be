package dev.granary.tools.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.redis.Line;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Prints results of stores as rows while they come in and writes them to a file, one JSON object per line. */
final class RedisTable implements AutoCloseable {

    private static final String FORMAT = "%-13s %-10s %6s %8s %11s %11s %9s %9s %9s %9s %8s %8s %7s%n";

    private final PrintStream out = System.out;
    private final @Nullable PrintWriter file;
    private boolean headed;
    private boolean failures;

    /**
     * A table on standard output.
     *
     * @param json a file that gets the lines as well and loses its former content, null for none
     */
    RedisTable(@Nullable Path json) {
        try {
            file = json == null ? null : new PrintWriter(Files.newBufferedWriter(json, StandardCharsets.UTF_8), true);
        } catch (IOException e) {
            throw new UserException(json + " cannot be written: " + e.getMessage(), e);
        }
    }

    /** Prints a line for people. */
    void note(String text) {
        out.println("  " + text);
    }

    /** Prints the progress of the measuring process, which is not part of the table. */
    void progress(String text) {
        System.err.println("  " + text + " ...");
    }

    /** Adds a result, a JSON object. */
    void add(String text) {
        if (file != null) {
            file.println(text);
        }
        JsonNode line = Json.parse("a result", text);
        failures |= line.path(Line.CASE).asText().equals("failed");
        if (!headed) {
            headed = true;
            out.printf(
                    FORMAT,
                    "case",
                    "store",
                    "copies",
                    "pipeline",
                    "gets/s",
                    "sets/s",
                    "ns/get",
                    "ns/set",
                    "p50 us",
                    "p99 us",
                    "B beside",
                    "own",
                    "hits");
        }
        out.printf(
                FORMAT,
                line.path(Line.CASE).asText(),
                line.path(Line.STORE).asText(),
                number("%.0f", line, Line.COPIES),
                number("%.0f", line, Line.PIPELINE),
                number("%,.0f", line, Line.GETS),
                number("%,.0f", line, Line.SETS),
                number("%.0f", line, Line.GET_CPU),
                number("%.0f", line, Line.SET_CPU),
                number("%.0f", line, Line.P50),
                number("%.0f", line, Line.P99),
                number("%.1f", line, Line.BESIDE),
                number("%.1f", line, Line.OWN_BESIDE),
                number("%.4f", line, Line.HIT_RATIO));
        if (line.hasNonNull(Line.GETS_BY_OTHER)) {
            note(String.format(
                    Locale.ROOT,
                    "the driver's rate by redis-benchmark's: gets %.2f, sets %.2f; the server's processor time with the"
                            + " driver by that with redis-benchmark: gets %.2f, sets %.2f",
                    line.path(Line.GETS_BY_OTHER).asDouble(),
                    line.path(Line.SETS_BY_OTHER).asDouble(),
                    ratio(line, Line.GET_CPU, Line.OTHER_GET_CPU),
                    ratio(line, Line.SET_CPU, Line.OTHER_SET_CPU)));
        }
        if (line.hasNonNull(Line.REMARK)) {
            note(line.path(Line.REMARK).asText());
        }
    }

    /** Whether a store failed. One that this machine does not have is no failure. */
    boolean hasFailures() {
        return failures;
    }

    private static double ratio(JsonNode line, String field, String other) {
        return line.path(field).asDouble() / line.path(other).asDouble();
    }

    private static String number(String format, JsonNode line, String field) {
        JsonNode value = line.path(field);
        return value.isNumber() ? String.format(Locale.ROOT, format, value.asDouble()) : "-";
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
