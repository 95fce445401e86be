package dev.granary.tools.bench;

import dev.granary.bench.overlay.OverlayLine;
import dev.granary.cli.base.UserException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prints results of the overlay as rows while they come in and writes them to a file, one JSON object per line. */
final class OverlayTable implements AutoCloseable {

    private static final String FORMAT = "%-40s %14s %5s %14s %9s %9s %9s %9s %8s %8s %8s%n";

    /** The results of the paper, by experiment. */
    private static final Map<String, String> PAPER = Map.of(
            "ranges",
            "the paper: 8 to 20 B an entry",
            "paper",
            "the paper: a cuckoo hash takes about 50 times the CID-tree's bytes, Java's HashMap about 150 times; a"
                    + " migration is 3 to 5 times slower than the maps', a find 2 times slower than the HashMap's and 1 us"
                    + " or less at a billion",
            "client cache",
            "the paper: access times fell by up to 98 %",
            "zones",
            "the paper: 32 to 64 KB",
            "names",
            "a range is a name here; the bytes include its own");

    private final PrintStream out = System.out;
    private final @Nullable PrintWriter file;
    private final Map<String, Double> treeBytes = new HashMap<>();
    private String experiment = "";

    /**
     * A table on standard output.
     *
     * @param json a file that gets the lines as well and loses its former content, null for none
     */
    OverlayTable(@Nullable Path json) {
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

    /** Adds a result. */
    void add(OverlayLine line) {
        if (file != null) {
            file.println(line.toJson());
        }
        if (!line.text(OverlayLine.EXPERIMENT).equals(experiment)) {
            experiment = line.text(OverlayLine.EXPERIMENT);
            out.printf("%n%s; %s%n", experiment, PAPER.getOrDefault(experiment, ""));
            out.printf(
                    FORMAT,
                    "structure",
                    "chunks",
                    "moved",
                    "ranges",
                    "B/range",
                    "counted",
                    "B/moved",
                    "bytes",
                    "find ns",
                    "ins. ns",
                    "migr. ns");
        }
        double ranges = line.number(OverlayLine.RANGES);
        out.printf(
                FORMAT,
                line.text(OverlayLine.STRUCTURE),
                number("%,.0f", line.number(OverlayLine.CHUNKS)),
                number("%.0f%%", line.number(OverlayLine.MIGRATED_PERCENT)),
                number("%,.0f", ranges),
                number("%.2f", line.number(OverlayLine.BYTES_PER_RANGE)),
                number("%.2f", line.number(OverlayLine.COUNTED_BYTES) / ranges),
                number("%.2f", line.number(OverlayLine.BYTES_PER_MIGRATED_CHUNK)),
                times(line),
                number("%.0f", line.number(OverlayLine.FIND_NANOS)),
                number("%.0f", line.number(OverlayLine.INSERT_NANOS)),
                number("%.0f", line.number(OverlayLine.MIGRATE_NANOS)));
        double saved = line.number(OverlayLine.LOOKUPS_SAVED_PERCENT);
        if (Double.isFinite(saved)) {
            out.printf(
                    Locale.ROOT,
                    "  %.2f %% of the lookups saved, access times fell by %.2f %%%n",
                    saved,
                    line.number(OverlayLine.ACCESS_TIME_REDUCTION_PERCENT));
        }
    }

    /** The tree's bytes, or the factor by which a map for the same chunks takes more. */
    private String times(OverlayLine line) {
        String key = experiment + "|" + line.text(OverlayLine.CHUNKS) + "|" + line.text(OverlayLine.MIGRATED_PERCENT);
        double bytes = line.number(OverlayLine.TOTAL_BYTES);
        Double tree = treeBytes.putIfAbsent(key, bytes);
        return tree == null || line.text(OverlayLine.STRUCTURE).startsWith("cid-tree")
                ? number("%.0fK", bytes / 1024)
                : number("%.1fx", bytes / tree);
    }

    private static String number(String format, double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : "";
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
