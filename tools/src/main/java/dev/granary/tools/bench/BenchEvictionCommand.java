package dev.granary.tools.bench;

import dev.granary.bench.eviction.HitRatios;
import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.Numbers;
import dev.granary.bench.memory.SizeDistribution;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares policies of eviction by their hit ratios. */
@Command(
        name = "eviction",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compare policies of eviction by their hit ratios, simulated with the sizes and popularities of production"
                    + " workloads. The memory is the same for all policies, with what each of them needs for an entry.",
        },
        footer = {
            "",
            "  granary bench eviction --objects 200k --requests 2M",
            "",
            "The policy of keys is 'index'; 'no ghosts' is the same without a memory of what was evicted. Memory is in"
                    + " percent of what all objects would take. Churn is how many objects are replaced by new ones with"
                    + " each thousand requests.",
        })
public final class BenchEvictionCommand implements Callable<Integer> {

    private static final List<Integer> PERCENTS = List.of(10, 30);
    private static final List<Integer> CHURNS = List.of(0, 20, 100);

    @Option(
            names = "--objects",
            paramLabel = "N",
            defaultValue = "200k",
            description = "How many objects there are at a time. Default: ${DEFAULT-VALUE}")
    private String objects = "200k";

    @Option(
            names = "--requests",
            paramLabel = "N",
            defaultValue = "2M",
            description = "How many requests; the first half does not count. Default: ${DEFAULT-VALUE}")
    private String requests = "2M";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        int objectCount = number("--objects", objects);
        int requestCount = number("--requests", requests);
        PrintStream out = System.out;
        boolean first = true;
        for (String workload : SizeDistribution.CARRIED) {
            for (int churn : CHURNS) {
                HitRatios ratios = new HitRatios(workload, objectCount, requestCount, churn);
                for (int percent : PERCENTS) {
                    Map<String, Double> found = ratios.run(percent);
                    if (first) {
                        out.println("| workload | memory | churn | " + String.join(" | ", found.keySet()) + " |");
                        out.println("|---|---|---|" + "---|".repeat(found.size()));
                        first = false;
                    }
                    out.printf(Locale.ROOT, "| %s | %d %% | %d |", workload, percent, churn);
                    found.values().forEach(ratio -> out.printf(Locale.ROOT, " %.3f |", ratio));
                    out.println();
                }
            }
        }
        return 0;
    }

    private int number(String option, String text) {
        try {
            return Math.toIntExact(Numbers.count(option, text));
        } catch (BadOptionException | ArithmeticException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}
