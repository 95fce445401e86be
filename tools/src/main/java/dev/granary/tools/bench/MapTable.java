package dev.granary.tools.bench;

import dev.granary.bench.map.MapPlan;
import dev.granary.bench.map.MapResult;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Prints results of maps as rows while they come in and writes them to a file, one JSON object per line. */
final class MapTable implements AutoCloseable {

    private static final String FORMAT = "%-18s %-10s %9s %4s %8s %8s %8s %10s %9s %9s %10s %9s %9s%n";

    private final PrintStream out = System.out;
    private final @Nullable PrintWriter file;
    private String section = "";

    /**
     * A table on standard output.
     *
     * @param json a file that gets the lines as well and loses its former content, null for none
     */
    MapTable(@Nullable Path json) {
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

    /** Prints the progress of a measuring process, which is not part of the table. */
    void progress(String text) {
        System.err.println("  " + text + " ...");
    }

    /** Prints a heading when other sizes begin. */
    void section(MapPlan plan) {
        String title = String.format(
                Locale.ROOT,
                "%s entries, keys of %d B, values of %d B",
                Sizes.count(plan.entries()),
                plan.keyBytes(),
                plan.valueBytes());
        if (!title.equals(section)) {
            section = title;
            out.println();
            out.println(title);
            out.printf(
                    FORMAT,
                    "store",
                    "case",
                    "heap",
                    "thr",
                    "B/entry",
                    "beside",
                    "by RSS",
                    "M inserts/s",
                    "M puts/s",
                    "M gets/s",
                    "M batched",
                    "pause ms",
                    "GC ms");
        }
    }

    /** Adds a result. */
    void add(MapResult result) {
        if (file != null) {
            file.println(result.toJson());
        }
        out.printf(
                FORMAT,
                result.store(),
                result.name(),
                Sizes.bytes(result.heapBytes()),
                result.threads(),
                number("%.1f", result.bytesPerEntry(), 1),
                number("%.1f", result.overheadBytesPerEntry(), 1),
                number("%.1f", result.rssOverheadBytesPerEntry(), 1),
                number("%.3f", result.insertsPerSecond(), 1e-6),
                number("%.3f", result.putsPerSecond(), 1e-6),
                number("%.3f", result.getsPerSecond(), 1e-6),
                number("%.3f", result.batchedGetsPerSecond(), 1e-6),
                number("%.1f", result.longestPauseMillis(), 1),
                number("%.0f", result.longestCollectionMillis(), 1));
        if (result.remark() != null) {
            out.println("  " + result.remark());
        }
    }

    private static String number(String format, @Nullable Double value, double factor) {
        return value == null ? "-" : String.format(Locale.ROOT, format, value * factor);
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
