package dev.granary.bench.compare.report;

import dev.granary.bench.compare.report.Measured.Case;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The page: what was run on what, medians and spread of each case, and where Granary loses. */
final class ReportPage {

    private final Measured measured;
    private final Tables tables;
    private final String name;
    private final String remark;

    /**
     * Describes a page without writing it.
     *
     * @param name of the page and, at their beginning, of the plots
     * @param remark stands at the head of the page; may be empty
     */
    ReportPage(Measured measured, String name, String remark) {
        this.measured = measured;
        this.tables = new Tables(measured);
        this.name = name;
        this.remark = remark;
    }

    /** Writes the page and its plots. */
    void write(Path directory) throws IOException {
        Plots plots = new Plots(measured, directory);
        StringBuilder page = new StringBuilder();
        page.append(head()).append(tables.goals()).append(tables.losses());
        List<Case> closed = measured.cases(each -> each.isClosed() && !each.isMultiGet() && !each.isRated());
        if (!closed.isEmpty()) {
            String plot = name + "-rates.png";
            plots.bars(plot, "Closed loop: operations per second", "operations/s", closed, Round::opsPerSecond);
            page.append(section("Rates", plot, """
                    Thousands of operations per second: the median of the rounds, and in brackets the least and the
                    greatest one. Each thread waits for the answer before it goes on."""));
            page.append(tables.rates(closed));
        }
        List<Case> open = measured.cases(each -> !each.isClosed());
        if (!open.isEmpty()) {
            String plot = name + "-latency.png";
            plots.bars(plot, "Open loop, the same rate for all stores: p99", "p99 in µs", open, Round::p99Micros);
            page.append(section("Times at the same rate", plot, """
                    p50, p99 and p99.9 in µs, medians of the rounds. All stores have the rate in the second column, in
                    thousands per second, and times count from the moment at which a request was due."""));
            page.append(tables.times(open));
        }
        page.append(ratings());
        List<Case> many = measured.cases(Round::isMultiGet);
        if (!many.isEmpty()) {
            String plot = name + "-batches.png";
            plots.bars(plot, "Many objects in a request: objects per second", "objects/s", many, Round::opsPerSecond);
            page.append(section("Many objects in a request", plot, """
                    Thousands of objects of 32 bytes per second: the median of the rounds, and in brackets the least
                    and the greatest one. Ordered objects have consecutive numbers."""));
            page.append(tables.rates(many));
        }
        page.append(section("Processor time", "", """
                µs of processor time for an operation, of the client and of the server, medians of the closed loop. An
                object of many in a request counts as an operation."""));
        page.append(tables.processors(measured.cases(Round::isClosed)));
        page.append(errors());
        Files.writeString(directory.resolve(name + ".md"), page);
    }

    private String ratings() {
        List<Case> rated = measured.cases(Round::isRated);
        if (rated.isEmpty()) {
            return "";
        }
        return section("BG's rating", "", """
                Actions per second: the highest median rate, and its number of threads, at which in every round 95 of
                100 actions take at most 100 ms, none fails, and at most one of 10,000 reads something stale.""")
                + tables.ratings(rated)
                + '\n'
                + Texts.paragraph("The rates of all numbers of threads, in thousands per second:")
                + '\n'
                + tables.rates(rated);
    }

    private static String section(String title, String plot, String text) {
        String image = plot.isEmpty() ? "" : "![" + title + "](" + plot + ")\n\n";
        return "\n## " + title + "\n\n" + Texts.paragraph(text) + "\n" + image;
    }

    private String head() {
        Round first = measured.all().getFirst();
        StringBuilder text = new StringBuilder("# Benchmarks: comparison with other stores\n\n");
        text.append(Texts.paragraph("""
                `./granary bench report` has made this page and its plots from the results of `./granary bench compare`.
                [How to read the figures](../benchmarks.md#how-to-read-the-figures) applies here, too."""));
        if (!remark.isBlank()) {
            text.append('\n').append(Texts.paragraph(remark));
        }
        text.append("\n## What was run\n\n").append(tables.stores()).append('\n');
        text.append(Texts.paragraph("From " + edge(Comparator.naturalOrder()) + " to " + edge(Comparator.reverseOrder())
                + " on: " + first.machine() + "."));
        text.append('\n');
        text.append(Texts.paragraph("Servers had the processors " + first.serverCpus() + ", clients the processors "
                + first.clientCpus() + ". Rounds: "
                + measured.all().stream().mapToInt(Round::round).max().orElse(0)
                + " of " + first.millis() + " ms, in which the stores took turns. Threads: "
                + distinct(each -> !each.isMultiGet(), each -> Integer.toString(each.threads()))
                + "; with many objects in a request: "
                + distinct(Round::isMultiGet, each -> Integer.toString(each.threads())) + ". Objects: "
                + distinct(
                        each -> true,
                        each -> Texts.count(each.objects()) + " of "
                                + (each.valueBytes() == 0 ? "different sizes" : each.valueBytes() + " B"))
                + "."));
        return text.toString();
    }

    private String edge(Comparator<String> order) {
        return measured.all().stream().map(Round::time).min(order).orElseThrow();
    }

    private String distinct(Predicate<Round> which, Function<Round, String> figure) {
        String all =
                measured.all().stream().filter(which).map(figure).distinct().collect(Collectors.joining(", "));
        return all.isEmpty() ? "none" : all;
    }

    private String errors() {
        long errors = measured.all().stream().mapToLong(Round::errors).sum();
        return section("Errors", "", errors == 0 ? "No request failed." : "Requests that failed, of all rounds:")
                + (errors == 0 ? "" : tables.errors());
    }
}
