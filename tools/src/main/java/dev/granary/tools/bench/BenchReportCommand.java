package dev.granary.tools.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes a page with plots from results. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Make a page with plots from results of 'granary bench compare': what was run on what, medians, spread, and"
                    + " where Granary loses.",
        },
        footer = {
            "",
            "  granary bench report --from compare.json",
            "  granary bench report --from results --to docs/benchmarks --note 'Builds ran beside it.'",
        })
public final class BenchReportCommand implements Callable<Integer> {

    private static final String MAIN_CLASS = "dev.granary.bench.compare.report.ReportMain";
    private static final long HEAP_BYTES = 256L << 20;

    @Option(
            names = "--from",
            paramLabel = "PLACE",
            required = true,
            arity = "1..*",
            description = "Files, or directories whose files that end in .json are read.")
    private List<Path> from = List.of();

    @Option(
            names = "--to",
            paramLabel = "DIR",
            defaultValue = "docs/benchmarks",
            description = "The directory of the page and its plots. Default: ${DEFAULT-VALUE}")
    private Path to = Path.of("");

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "compare",
            description = "The name of the page, and the beginning of those of the plots. Default: ${DEFAULT-VALUE}")
    private String name = "";

    @Option(
            names = "--note",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "A remark for the head of the page, such as what else ran on the machine.")
    private String note = "";

    @Override
    public Integer call() {
        List<String> arguments = new ArrayList<>(List.of(to.toString(), name, note));
        from.forEach(place -> arguments.add(place.toString()));
        new MeasuringProcess(Comparison.find().classPath(), HEAP_BYTES, List.of("-XX:-AlwaysPreTouch"))
                .run(MAIN_CLASS, arguments, Map.of(), System.out::println);
        return 0;
    }
}
