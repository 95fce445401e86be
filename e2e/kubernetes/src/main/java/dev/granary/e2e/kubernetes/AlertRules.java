package dev.granary.e2e.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.granary.e2e.kubernetes.program.Check;
import dev.granary.e2e.kubernetes.program.Formats;
import dev.granary.e2e.kubernetes.prometheus.PromqlSelectors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The alert rules that the chart renders, and the same rules with shorter times: nobody can wait an hour for each alert
 * (ADR 0254). Only waiting times and the ranges of range vectors are shortened. Thresholds stay, also those that are
 * times.
 */
final class AlertRules {

    /** By how much times are shortened. */
    private static final int DIVISOR = 10;

    /** The longest wait that is left. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

    /** The shortest range that is left: ten scrapes. */
    private static final Duration SHORTEST_RANGE = Duration.ofSeconds(20);

    private static final Pattern UNIT = Pattern.compile("(\\d+)(ms|[smhdwy])");

    /** A text in quotes, in which nothing is changed; or a range, with or without a step; or an offset. */
    private static final Pattern TIMES = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`"
            + "|\\[((?:\\d+(?:ms|[smhdwy]))+)(:[^\\]]*)?]"
            + "|\\boffset\\s+(-?)((?:\\d+(?:ms|[smhdwy]))+)");

    /** A comparison with a number, or with a product of numbers. */
    private static final Pattern THRESHOLD = Pattern.compile("(==|!=|>=|<=|>|<)\\s*[0-9.]+(\\s*\\*\\s*[0-9.]+)*");

    private static final Map<String, Long> MILLIS = Map.of(
            "ms",
            1L,
            "s",
            1_000L,
            "m",
            60_000L,
            "h",
            3_600_000L,
            "d",
            86_400_000L,
            "w",
            604_800_000L,
            "y",
            31_536_000_000L);

    private AlertRules() {}

    /** Returns the groups of the PrometheusRule that the chart renders. */
    static JsonNode rendered(Target target) throws Exception {
        String manifests = target.helm()
                .run(
                        "template",
                        Target.RELEASE,
                        target.options().project().resolve("helm/granary").toString(),
                        "--namespace",
                        Target.OPERATOR_NAMESPACE,
                        // A helm that was built from its module assumes an old version of Kubernetes when it renders.
                        "--kube-version",
                        "1.34.0",
                        "--api-versions",
                        "monitoring.coreos.com/v1",
                        "--set",
                        "prometheusRule.enabled=true");
        JsonNode groups = Formats.JSON.createArrayNode();
        try (MappingIterator<JsonNode> objects =
                Formats.YAML.readerFor(JsonNode.class).readValues(manifests)) {
            while (objects.hasNext()) {
                JsonNode object = objects.next();
                if ("PrometheusRule".equals(object.path("kind").asText())) {
                    groups = object.at("/spec/groups");
                }
            }
        }
        Check.that(!groups.isEmpty(), "the chart renders no PrometheusRule");
        return groups;
    }

    /** Returns groups in the form of a rule file. */
    static String file(JsonNode groups) throws Exception {
        return Formats.JSON.writeValueAsString(Map.of("groups", groups)); // JSON is YAML, too
    }

    /** Returns the expression of each alert, by its name. */
    static SortedMap<String, String> expressions(JsonNode groups) {
        SortedMap<String, String> expressions = new TreeMap<>();
        for (JsonNode group : groups) {
            for (JsonNode rule : group.path("rules")) {
                if (rule.has("alert")) {
                    expressions.put(
                            rule.path("alert").asText(), rule.path("expr").asText());
                }
            }
        }
        return expressions;
    }

    /** Returns the same groups with shorter times, to be evaluated as often as Prometheus evaluates by default. */
    static JsonNode shortened(JsonNode groups) {
        JsonNode copy = groups.deepCopy();
        for (JsonNode group : copy) {
            ((ObjectNode) group).remove("interval");
            for (JsonNode rule : group.path("rules")) {
                ObjectNode changed = (ObjectNode) rule;
                changed.put("expr", shortened(rule.path("expr").asText()));
                for (String wait : List.of("for", "keep_firing_for")) {
                    if (rule.has(wait)) {
                        changed.put(
                                wait, text(shortenedWait(parse(rule.path(wait).asText()))));
                    }
                }
            }
        }
        return copy;
    }

    /** Returns an expression with shorter ranges and offsets. */
    static String shortened(String expression) {
        return TIMES.matcher(expression).replaceAll(found -> Matcher.quoteReplacement(shortened(found)));
    }

    private static String shortened(MatchResult found) {
        if (found.group(1) != null) {
            String step = found.group(2) == null ? "" : ":";
            return "[" + text(shortenedRange(parse(found.group(1)))) + step + "]";
        }
        if (found.group(4) != null) {
            return "offset " + found.group(3) + text(shortenedRange(parse(found.group(4))));
        }
        return found.group();
    }

    private static Duration shortenedWait(Duration wait) {
        Duration part = wait.dividedBy(DIVISOR);
        return part.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : part;
    }

    private static Duration shortenedRange(Duration range) {
        Duration part = range.dividedBy(DIVISOR);
        Duration least = range.compareTo(SHORTEST_RANGE) < 0 ? range : SHORTEST_RANGE;
        return part.compareTo(least) < 0 ? least : part;
    }

    private static Duration parse(String text) {
        Matcher unit = UNIT.matcher(text);
        long millis = 0;
        while (unit.find()) {
            millis += Long.parseLong(unit.group(1)) * MILLIS.getOrDefault(unit.group(2), 0L);
        }
        return Duration.ofMillis(millis);
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1_000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    /**
     * Returns queries that show why an alert does not fire: the expression without its thresholds, which tells how far
     * from them it is, and each of its selectors.
     */
    static List<String> parts(String expression) {
        List<String> parts = new ArrayList<>();
        parts.add(THRESHOLD.matcher(expression).replaceAll(""));
        parts.addAll(PromqlSelectors.of(expression));
        return parts;
    }
}
