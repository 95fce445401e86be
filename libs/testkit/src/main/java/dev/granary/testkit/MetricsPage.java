package dev.granary.testkit;

import io.prometheus.client.Collector;
import io.prometheus.client.Collector.MetricFamilySamples;
import io.prometheus.client.Collector.MetricFamilySamples.Sample;
import io.prometheus.client.CollectorRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Keeps the tables of docs/metrics.md equal to what is registered. Each process has a table between two lines:
 * {@code <!-- metrics of storage-node -->} and {@code <!-- end -->}.
 */
public final class MetricsPage {

    /** A system property: when it is "true" the page is rewritten instead of being compared. */
    public static final String UPDATE_PROPERTY = "granary.docs.update";

    private static final String END = "<!-- end -->";

    /** What every process shows has a table of its own. */
    private static final Set<String> COMMON = Set.of(
            "jvm_",
            "process_",
            "granary_loop_",
            "granary_connections",
            "granary_network_",
            "granary_http_",
            "granary_requests_denied",
            "granary_tls_",
            "granary_memory_plan_");

    /** Labels with few values, which the page lists. */
    private static final Set<String> LISTED =
            Set.of("state", "outcome", "operation", "result", "status", "area", "reason", "group", "role", "direction");

    /** Labels that say which part of a histogram or summary a sample is. */
    private static final Set<String> PARTS = Set.of("le", "quantile");

    /** Labels of families that may have no sample yet. */
    private static final Map<String, String> LATER = Map.of(
            "jvm_memory_pool_allocated_bytes",
            "pool",
            "granary_redis_commands",
            "command",
            "granary_redis_command_seconds",
            "command");

    private MetricsPage() {}

    /**
     * Compares the table of a process with a registry, without what every process shows.
     *
     * @throws AssertionError when they differ; its message says how to rewrite the page
     */
    public static void check(Path page, String process, CollectorRegistry registry) throws IOException {
        check(page, process, registry, name -> !isCommon(name));
    }

    /** Compares the table of what every process shows, as {@link #check(Path, String, CollectorRegistry)} does. */
    public static void checkCommon(Path page, CollectorRegistry registry) throws IOException {
        check(page, "every process", registry, MetricsPage::isCommon);
    }

    private static boolean isCommon(String name) {
        return COMMON.stream().anyMatch(name::startsWith);
    }

    private static void check(Path page, String process, CollectorRegistry registry, Predicate<String> wanted)
            throws IOException {
        String text = Files.readString(page);
        String begin = "<!-- metrics of " + process + " -->\n";
        int start = text.indexOf(begin) + begin.length();
        int end = text.indexOf(END, start);
        if (start < begin.length() || end < 0) {
            throw new AssertionError(page + " has no table between '" + begin.strip() + "' and '" + END + "'");
        }
        String right = text.substring(0, start) + table(registry, wanted) + text.substring(end);
        if (text.equals(right)) {
            return;
        }
        if (Boolean.getBoolean(UPDATE_PROPERTY)) {
            Files.writeString(page, right);
        } else {
            throw new AssertionError(page + " does not show the metrics of " + process
                    + " as they are: run this test with -D" + UPDATE_PROPERTY + "=true and look at the difference");
        }
    }

    /** Returns the table of a registry in Markdown, sorted by names. */
    static String table(CollectorRegistry registry, Predicate<String> wanted) {
        Map<String, String> rows = new TreeMap<>();
        for (MetricFamilySamples family : Collections.list(registry.metricFamilySamples())) {
            if (wanted.test(family.name)) {
                rows.put(family.name, row(family));
            }
        }
        return "\n| metric | type | labels | unit | meaning |\n|---|---|---|---|---|\n" + String.join("", rows.values())
                + "\n";
    }

    private static String row(MetricFamilySamples family) {
        String name = family.type == Collector.Type.COUNTER ? family.name + "_total" : family.name;
        return "| `%s` | %s | %s | %s | %s |%n"
                .formatted(
                        name,
                        family.type.name().toLowerCase(Locale.ROOT),
                        labels(family),
                        unit(family.name),
                        family.help.replace("|", "\\|"));
    }

    private static String labels(MetricFamilySamples family) {
        Map<String, Set<String>> found = new TreeMap<>();
        for (Sample sample : family.samples) {
            for (int i = 0; i < sample.labelNames.size(); i++) {
                String label = sample.labelNames.get(i);
                if (!PARTS.contains(label)) {
                    found.computeIfAbsent(label, _ -> new TreeSet<>()).add(sample.labelValues.get(i));
                }
            }
        }
        String later = LATER.get(family.name);
        if (found.isEmpty() && later != null) {
            found.put(later, Set.of());
        }
        return found.entrySet().stream()
                .map(label -> LISTED.contains(label.getKey())
                        ? "`%s`: %s".formatted(label.getKey(), String.join(", ", label.getValue()))
                        : "`%s`".formatted(label.getKey()))
                .collect(Collectors.joining("; "));
    }

    private static String unit(String name) {
        if (name.endsWith("_timestamp_seconds") || name.endsWith("_start_time_seconds")) {
            return "seconds since 1970";
        }
        if (name.endsWith("_seconds")) {
            return "seconds";
        }
        if (name.contains("_bytes")) {
            return "bytes";
        }
        return name.endsWith("_info") ? "always 1" : "number";
    }
}
