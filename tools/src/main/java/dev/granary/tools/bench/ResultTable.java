package dev.granary.tools.bench;

import dev.granary.bench.memory.Layout;
import dev.granary.bench.memory.ResultLine;
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

/** Prints results as rows while they come in and writes them to a file, one JSON object per line. */
final class ResultTable implements AutoCloseable {

    private static final String BOUND = "plain-array";
    private static final String GRANARY = "granary";
    /** The measurements that are compared with another measurement of chunk memory and not with the plain array. */
    private static final Map<String, String> SINGLE = Map.of(
            "get-batch",
            "get",
            "put-batch",
            "put",
            "create-batch",
            "load",
            "create-consecutive",
            "load",
            "create-after-delete",
            "load");

    private static final String FORMAT = "%-16s %-8s %-20s %8s %4s %-8s %6s %9s %9s %7s %9s %9s %18s %12s%n";

    private final PrintStream out = System.out;
    private final @Nullable PrintWriter file;
    private final Map<String, Double> rates = new HashMap<>();
    private boolean headed;

    /**
     * A table on standard output.
     *
     * @param json a file that gets the lines as well and loses its former content, null for none
     */
    ResultTable(@Nullable Path json) {
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

    /** Prints a heading; the names of the columns follow it again. */
    void section(String title) {
        out.println();
        out.println(title);
        headed = false;
    }

    /** Adds a result. */
    void add(ResultLine line) {
        if (file != null) {
            file.println(line.toFileJson());
        }
        if (!headed) {
            out.printf(
                    FORMAT,
                    "store",
                    "layout",
                    "measured",
                    "bytes",
                    "thr",
                    "chosen",
                    "batch",
                    "M ops/s",
                    "share",
                    "CPU ns",
                    "B/chunk",
                    "by RSS",
                    "get 50/99/99.9 ns",
                    "put 50/99 ns");
            headed = true;
        }
        double rate = line.number(ResultLine.RATE);
        out.printf(
                FORMAT,
                line.text(ResultLine.STORE),
                line.text(ResultLine.LAYOUT),
                line.text(ResultLine.NAME),
                number("%.4g", line.number(ResultLine.SIZE_BYTES)),
                line.text(ResultLine.THREADS),
                line.text(ResultLine.DISTRIBUTION),
                line.text(ResultLine.BATCH_SIZE),
                number("%.3f", rate / 1e6),
                share(line, rate),
                number("%.0f", line.number(ResultLine.CPU_NANOS)),
                number("%.3f", line.number(ResultLine.OVERHEAD)),
                number("%.3f", line.number(ResultLine.RSS_OVERHEAD)),
                percentiles(line, ResultLine.GET_P50, ResultLine.GET_P99, ResultLine.GET_P999),
                percentiles(line, ResultLine.PUT_P50, ResultLine.PUT_P99));
        more(line);
    }

    /** Prints the additional results of soak and defragment. */
    private void more(ResultLine line) {
        double fragmentation = line.number(ResultLine.FRAGMENTATION);
        if (!Double.isNaN(fragmentation)) {
            out.printf(
                    Locale.ROOT,
                    "  fragmentation %.3f;%s share of the free bytes in whole free segments %s%n",
                    fragmentation,
                    number(" %.1f ns a live chunk;", line.number(ResultLine.NANOS_PER_LIVE_CHUNK)),
                    number("%.3f", line.number(ResultLine.WHOLE_FREE_SHARE)));
        }
    }

    /**
     * Compares a rate: chunk memory with the plain array of the same run, by time and, after a slash, by processor
     * time; batches with single operations and creates after deletes with the load, as factors; other stores with chunk
     * memory in the typed layout.
     */
    private String share(ResultLine line, double rate) {
        String store = line.text(ResultLine.STORE);
        double cpu = 1 / line.number(ResultLine.CPU_NANOS);
        String name = line.text(ResultLine.NAME);
        rates.put(key(store, line.text(ResultLine.LAYOUT), name, line), rate);
        rates.put(key(store, line.text(ResultLine.LAYOUT), name + "/cpu", line), cpu);
        if (store.equals(BOUND)) {
            return "";
        }
        if (!store.equals(GRANARY)) {
            return number("%.2f", rate / known(GRANARY, Layout.TYPED.toString(), name, line));
        }
        String single = SINGLE.get(name);
        if (single != null) {
            String times = number("%.2f", rate / known(GRANARY, line.text(ResultLine.LAYOUT), single, line));
            return times.isEmpty() ? "" : times + "x";
        }
        String byTime = number("%.2f", rate / known(BOUND, "", name, line));
        return byTime.isEmpty() ? "" : byTime + number("/%.2f", cpu / known(BOUND, "", name + "/cpu", line));
    }

    private double known(String store, String layout, String name, ResultLine line) {
        return rates.getOrDefault(key(store, layout, name, line), Double.NaN);
    }

    private static String key(String store, String layout, String name, ResultLine line) {
        String chosen = name.startsWith("load") ? "" : line.text(ResultLine.DISTRIBUTION);
        return String.join(
                "|",
                store,
                layout,
                name,
                line.text(ResultLine.SIZE_BYTES),
                line.text(ResultLine.THREADS),
                chosen,
                line.text(ResultLine.WORKLOAD));
    }

    private static String percentiles(ResultLine line, String... fields) {
        StringBuilder text = new StringBuilder();
        for (String field : fields) {
            String value = number("%.0f", line.number(field));
            if (value.isEmpty()) {
                return "";
            }
            text.append(text.isEmpty() ? "" : " / ").append(value);
        }
        return text.toString();
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
