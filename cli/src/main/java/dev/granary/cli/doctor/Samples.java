package dev.granary.cli.doctor;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The samples of one page of metrics in Prometheus's text format. */
public final class Samples {

    /** No metrics. */
    public static final Samples NONE = new Samples(List.of());

    private static final Pattern LINE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})?\\s+(\\S+).*");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private final List<Sample> all;

    /** One sample. */
    public record Sample(String name, Map<String, String> labels, double value) {

        /** The value of a label, empty when there is none. */
        public String label(String label) {
            return labels.getOrDefault(label, "");
        }
    }

    private Samples(List<Sample> all) {
        this.all = all;
    }

    /** Reads a page. Lines that are no samples are skipped: later versions of the format may have more of them. */
    public static Samples parse(String text) {
        List<Sample> found = new ArrayList<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                found.add(new Sample(matcher.group(1), labels(matcher.group(2)), number(matcher.group(3))));
            }
        });
        return new Samples(List.copyOf(found));
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new HashMap<>();
        if (text != null) {
            Matcher matcher = LABEL.matcher(text);
            while (matcher.find()) {
                String value = matcher.group(2);
                labels.put(
                        matcher.group(1),
                        value.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"));
            }
        }
        return Map.copyOf(labels);
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> parseOrNan(text);
        };
    }

    private static double parseOrNan(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** The samples of a name. */
    public Stream<Sample> of(String name) {
        return all.stream().filter(sample -> sample.name.equals(name));
    }

    /** The sum of all samples of a name, 0 when there is none. */
    public double sum(String name) {
        return of(name).mapToDouble(Sample::value).sum();
    }

    /** Whether there is a sample of this name. */
    public boolean has(String name) {
        return of(name).findAny().isPresent();
    }
}
