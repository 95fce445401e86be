package dev.granary.tools.simulate;

import dev.granary.simulation.big.BigResult;
import dev.granary.simulation.big.BigSample;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Prints a big simulation: a row for each moment, then the totals. */
final class BigTable {

    private static final double KIB = 1024;

    private final PrintStream out = System.out;

    void head() {
        out.printf("%56s %26s %26s%n", "ranges of an arc", "metadata, KiB", "messages/s of a super-peer");
        out.printf(
                "%8s %8s %8s %8s %20s %26s %26s%n",
                "seconds", "supers", "peers", "arcs", "least/avg/most", "least/avg/most", "least/avg/most");
    }

    void row(BigSample sample) {
        out.printf(
                Locale.ROOT,
                "%8.1f %8d %8d %7.2fx %20s %26s %26s%n",
                sample.seconds(),
                sample.superPeers(),
                sample.storagePeers(),
                sample.imbalance(),
                spread(sample.ranges(), 1),
                spread(sample.metadataBytes(), KIB),
                spread(sample.messagesPerSecond(), 1));
    }

    private static String spread(BigSample.Spread spread, double unit) {
        return String.format(
                Locale.ROOT, "%.0f/%.0f/%.0f", spread.least() / unit, spread.average() / unit, spread.most() / unit);
    }

    void totals(BigResult result, double seconds) {
        out.println();
        result.counts().forEach((name, count) -> out.printf(Locale.ROOT, "%-28s %,16d%n", name, count));
        out.println();
        out.printf("%-12s %16s %20s%n", "messages", "count", "bytes");
        result.messages()
                .forEach((kind, count) -> out.printf(
                        Locale.ROOT,
                        "%-12s %,16d %,20d%n",
                        kind,
                        count,
                        result.bytes().get(kind)));
        out.printf(
                Locale.ROOT,
                "%n%,d events in %.1f s; trace %016x%n%s%n",
                result.events(),
                seconds,
                result.traceHash(),
                result.violation().map(problem -> "VIOLATION: " + problem).orElse("0 violations"));
    }

    static Map<String, Object> json(BigResult result, double seconds) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("plan", result.plan());
        json.put("seconds", seconds);
        json.put("samples", result.samples());
        json.put("counts", result.counts());
        json.put("messages", result.messages());
        json.put("bytes", result.bytes());
        json.put("events", result.events());
        json.put("violation", result.violation().orElse(null));
        return json;
    }
}
