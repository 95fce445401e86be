package dev.granary.bench.compare.report;

import dev.granary.bench.compare.report.Measured.Case;
import dev.granary.bench.compare.report.Measured.Spread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;

/** The tables of a page. */
final class Tables {

    private static final double THOUSAND = 1e3;
    private static final String NONE = "–";

    private final Measured measured;

    Tables(Measured measured) {
        this.measured = measured;
    }

    /** Stores, versions, clients. */
    String stores() {
        StringBuilder table = new StringBuilder(Texts.head(List.of("store", "version", "client", "copies")));
        for (String store : measured.stores()) {
            Round round = measured.all().stream()
                    .filter(each -> each.store().equals(store))
                    .findFirst()
                    .orElseThrow();
            table.append(Texts.row(List.of(store, round.version(), round.client(), Integer.toString(round.copies()))));
        }
        return table.toString();
    }

    /** What is wanted, and what was reached; nothing when none of it was measured. */
    String goals() {
        if (Goals.all().stream().allMatch(goal -> Double.isNaN(goal.reached(measured)))) {
            return "";
        }
        StringBuilder table = new StringBuilder("\n## Targets\n\n");
        table.append(Texts.paragraph("""
                Granary's median rate by that of another store. The last column has the processor time of the other
                store's client and server by that of Granary's: it depends less on other work on the machine."""));
        table.append('\n');
        table.append(Texts.head(List.of("other store", "workload", "target", "measured", "met", "by processor time")));
        for (Goals.Goal goal : Goals.all()) {
            double reached = goal.reached(measured);
            String met = Double.isNaN(reached) ? NONE : reached >= goal.least() ? "yes" : "**no**";
            table.append(Texts.row(List.of(
                    goal.store(),
                    goal.batch() == 1 ? goal.workload() : goal.workload() + ", " + Texts.count(goal.batch()),
                    "≥ " + goal.least(),
                    Texts.ratio(reached),
                    met,
                    Texts.ratio(goal.byProcessorTime(measured)))));
        }
        return table.toString();
    }

    /** Cases in which another store has a higher median rate, or a shorter p99 at the same rate. */
    String losses() {
        StringBuilder rows = new StringBuilder();
        for (Case each : measured.cases(Round::isClosed)) {
            double ours = measured.median(each, Measured.OURS, Round::opsPerSecond);
            rows.append(losses(each, "rate", store -> ours / measured.median(each, store, Round::opsPerSecond)));
        }
        for (Case each : measured.cases(round -> !round.isClosed())) {
            double ours = measured.median(each, Measured.OURS, Round::p99Micros);
            rows.append(losses(
                    each, "p99 at the same rate", store -> measured.median(each, store, Round::p99Micros) / ours));
        }
        String head = "\n## Where Granary loses\n\n";
        if (rows.isEmpty()) {
            return head + "In no case that was measured.\n";
        }
        return head
                + Texts.paragraph("""
                        Cases in which another store is better by its median. In brackets: Granary's rate by that of the
                        store, or the store's time by Granary's; below 1 is a loss.""")
                + "\n" + Texts.head(List.of("case", "figure", "stores that are better")) + rows;
    }

    private String losses(Case what, String figure, ToDoubleFunction<String> ratioOf) {
        List<String> better = new ArrayList<>();
        for (String store : measured.stores()) {
            double ratio = ratioOf.applyAsDouble(store);
            if (!store.equals(Measured.OURS) && ratio < 1) {
                better.add(store + " (" + Texts.ratio(ratio) + ")");
            }
        }
        return better.isEmpty() ? "" : Texts.row(List.of(what.label(), figure, String.join(", ", better)));
    }

    /** Rates with their spread. */
    String rates(List<Case> cases) {
        return table(cases, List.of(), (each, store) -> measured.spread(each, store, Round::opsPerSecond)
                .map(Tables::rate)
                .orElse(NONE));
    }

    private static String rate(Spread spread) {
        return thousands(spread.median()) + " (" + thousands(spread.least()) + "–" + thousands(spread.most()) + ")";
    }

    private static String thousands(double number) {
        double thousands = number / THOUSAND;
        return thousands < 10 ? String.format(Locale.ROOT, "%.1f", thousands) : Texts.count(thousands);
    }

    /** Percentiles, with the rate of all stores. */
    String times(List<Case> cases) {
        return table(cases, List.of("rate"), (each, store) -> {
            if (store.isEmpty()) {
                return thousands(measured.median(each, Measured.OURS, Round::targetPerSecond));
            }
            return Texts.micros(measured.median(each, store, Round::p50Micros)) + "; "
                    + Texts.micros(measured.median(each, store, Round::p99Micros)) + "; "
                    + Texts.micros(measured.median(each, store, Round::p999Micros));
        });
    }

    /** Processor time of client and server. */
    String processors(List<Case> cases) {
        return table(
                cases,
                List.of(),
                (each, store) -> micros(measured.median(each, store, Round::clientCpuNanosPerOp)) + " + "
                        + micros(measured.median(each, store, Round::serverCpuNanosPerOp)));
    }

    private static String micros(double nanos) {
        return Double.isNaN(nanos) ? NONE : String.format(Locale.ROOT, nanos < 1e4 ? "%.2f" : "%.0f", nanos / THOUSAND);
    }

    /** A row for each case, a column for each store; further columns are asked for with an empty name of the store. */
    private String table(List<Case> cases, List<String> further, BiFunction<Case, String, String> cell) {
        List<String> head = new ArrayList<>(List.of("workload"));
        head.addAll(further);
        head.addAll(measured.stores());
        StringBuilder table = new StringBuilder(Texts.head(head));
        for (Case each : cases) {
            List<String> row = new ArrayList<>(List.of(each.label()));
            further.forEach(_ -> row.add(cell.apply(each, "")));
            measured.stores().forEach(store -> row.add(cell.apply(each, store)));
            table.append(Texts.row(row));
        }
        return table.toString();
    }

    /** For each rated workload, the best rate of each store that keeps the limits, with its number of threads. */
    String ratings(List<Case> cases) {
        List<String> head = new ArrayList<>(List.of("workload"));
        head.addAll(measured.stores());
        StringBuilder table = new StringBuilder(Texts.head(head));
        for (String workload : cases.stream().map(Case::workload).distinct().toList()) {
            List<Case> ofIt = cases.stream()
                    .filter(each -> each.workload().equals(workload))
                    .toList();
            List<String> row = new ArrayList<>(List.of(workload));
            measured.stores().forEach(store -> row.add(rating(ofIt, store)));
            table.append(Texts.row(row));
        }
        return table.toString();
    }

    private String rating(List<Case> cases, String store) {
        long stale = cases.stream()
                .flatMap(each -> measured.rounds(each, store).stream())
                .mapToLong(Round::staleReads)
                .sum();
        return cases.stream()
                        .filter(each -> !measured.rounds(each, store).isEmpty())
                        .filter(each -> measured.rounds(each, store).stream().allMatch(Round::isWithinLimits))
                        .max(Comparator.comparingDouble(each -> measured.median(each, store, Round::opsPerSecond)))
                        .map(best -> Texts.count(measured.median(best, store, Round::opsPerSecond)) + " with "
                                + best.threads())
                        .orElse(NONE)
                + (stale == 0 ? "" : "; " + Texts.count((double) stale) + " stale");
    }

    /** Stores with errors. */
    String errors() {
        StringBuilder table = new StringBuilder(Texts.head(List.of("store", "workload", "errors", "the first one")));
        for (Round round : measured.all()) {
            if (round.errors() > 0) {
                table.append(Texts.row(List.of(
                        round.store(),
                        round.workload() + ", " + round.mode() + ", " + round.batch(),
                        Long.toString(round.errors()),
                        Objects.requireNonNullElse(round.firstError(), NONE).replace('|', '/'))));
            }
        }
        return table.toString();
    }
}
