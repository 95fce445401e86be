package dev.granary.e2e.kubernetes;

import dev.granary.e2e.kubernetes.program.Formats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The results of all steps, as text and as JSON. Not thread-safe. */
final class Report {

    /** How a step ended. A step that was never tried has not passed: it counts as failed. */
    enum Outcome {
        PREPARED,
        PASSED,
        SKIPPED,
        FAILED,
        NOT_RUN
    }

    /**
     * One line of the report.
     *
     * @param name the step
     * @param outcome how it ended
     * @param seconds how long it took
     * @param detail what was seen, or why it failed
     */
    record Line(String name, Outcome outcome, double seconds, String detail) {}

    private final Map<String, Object> facts = new LinkedHashMap<>();
    private final List<Line> lines = new ArrayList<>();
    private final List<CaseResult> cases = new ArrayList<>();
    private final List<AlertResult> alerts = new ArrayList<>();

    /** Notes a fact about the run, such as the version of Kubernetes. */
    void fact(String name, Object value) {
        facts.put(name, value);
    }

    /** Adds what was prepared before the steps: one line a phase, name, tab, seconds. */
    void addPreparation(@Nullable Path file) throws IOException {
        if (file == null) {
            return;
        }
        for (String line : Files.readAllLines(file)) {
            int tab = line.indexOf('\t');
            add(new Line(line.substring(0, tab), Outcome.PREPARED, Double.parseDouble(line.substring(tab + 1)), ""));
        }
    }

    void add(Line line) {
        lines.add(line);
        System.out.println(format(line));
    }

    /** Adds what clients saw during a case. */
    void add(CaseResult result) {
        cases.add(result);
    }

    /** Adds what was seen of an alert. */
    void add(AlertResult result) {
        alerts.add(result);
    }

    int passed() {
        return count(Outcome.PASSED);
    }

    int failed() {
        return (int) lines.stream().filter(Report::isFailure).count();
    }

    /** Prints all lines together once more, then what failed, where a reader looks first, and the total. */
    void print() {
        System.out.println();
        lines.forEach(line -> System.out.println(format(line)));
        printCases();
        if (!alerts.isEmpty()) {
            System.out.println();
            System.out.println(AlertResult.table(alerts));
        }
        lines.stream().filter(Report::isFailure).forEach(line -> System.out.println(format(line)));
        System.out.printf(Locale.ROOT, "%.1f s in all%n", totalSeconds());
        if (count(Outcome.SKIPPED) > 0) {
            System.out.println(count(Outcome.SKIPPED) + " skipped");
        }
        System.out.println(passed() + " passed, " + failed() + " failed");
    }

    private void printCases() {
        if (cases.isEmpty()) {
            return;
        }
        System.out.printf(
                "%n%-32s %8s %14s %18s %11s %10s %12s%n",
                "case", "seconds", "client errors", "unserved p99, ms", "lost writes", "min ops/s", "operations");
        for (CaseResult result : cases) {
            System.out.printf(
                    Locale.ROOT,
                    "%-32s %8.1f %14d %18d %11d %9.0f%% %12d%n",
                    result.name(),
                    result.seconds(),
                    result.clientErrors(),
                    result.unservedP99Millis(),
                    result.lostWrites(),
                    100 * result.minOpsPerSecondShare(),
                    result.operations());
        }
        System.out.println();
    }

    /** Writes facts, totals and lines as one JSON object. */
    void write(Path file) throws IOException {
        Map<String, Object> json = new LinkedHashMap<>(facts);
        json.put("passed", passed());
        json.put("failed", failed());
        json.put("skipped", count(Outcome.SKIPPED));
        json.put("totalSeconds", rounded(totalSeconds()));
        json.put("cases", cases);
        if (!alerts.isEmpty()) {
            json.put("alerts", alerts);
            json.put("alertsNotProvoked", AlertResult.countNotProvoked(alerts));
        }
        json.put(
                "steps",
                lines.stream()
                        .map(line -> {
                            Map<String, Object> step = new LinkedHashMap<>();
                            step.put("name", line.name());
                            step.put("outcome", line.outcome().name().toLowerCase(Locale.ROOT));
                            step.put("seconds", rounded(line.seconds()));
                            step.put("detail", line.detail());
                            return step;
                        })
                        .toList());
        Files.writeString(file, Formats.JSON.writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n");
    }

    private static boolean isFailure(Line line) {
        return line.outcome() == Outcome.FAILED || line.outcome() == Outcome.NOT_RUN;
    }

    private int count(Outcome outcome) {
        return (int) lines.stream().filter(line -> line.outcome() == outcome).count();
    }

    private double totalSeconds() {
        return lines.stream().mapToDouble(Line::seconds).sum();
    }

    private static double rounded(double seconds) {
        return Math.round(seconds * 10) / 10.0;
    }

    private static String format(Line line) {
        String text = String.format(
                Locale.ROOT,
                "%-8s %7.1f s  %s",
                line.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                line.seconds(),
                line.name());
        return line.detail().isEmpty()
                ? text
                : text + "\n" + line.detail().indent(20).stripTrailing();
    }
}
