package dev.granary.tools.bench;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.KeyDistribution;
import dev.granary.bench.memory.Layout;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.MemoryPlan;
import dev.granary.bench.memory.Numbers;
import dev.granary.bench.memory.Part;
import dev.granary.bench.memory.SizeDistribution;
import dev.granary.bench.memory.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures chunk memory, embedded in its own process, beside a plain off-heap array. */
@Command(
        name = "memory",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure chunk memory, embedded in a process of its own, beside a plain off-heap array: bytes a chunk, loads,"
                    + " gets and puts, latencies, batches, creates after deletes, dependent gets.",
        },
        footer = {
            "",
            "  granary bench memory --chunks 50M --sizes 32 --threads 1,2 --distribution zipf --json result.json",
            "  granary bench memory --workload kvcache_reg --chunks 5M --layout classic",
            "",
            "In the table, share is the rate as a share of the plain array's in the same run, by time and by processor time;"
                    + " of batches and of creates after deletes it says how many times faster than one by one or than the"
                    + " load. A line of another store shows its rate as a share of the typed layout's.",
        })
public final class BenchMemoryCommand implements Callable<Integer> {

    @Option(
            names = "--chunks",
            paramLabel = "N",
            defaultValue = "10M",
            description = "How many chunks: 10000000, 10_000_000 or 10M. Default: ${DEFAULT-VALUE}")
    private String chunks = "10M";

    @Option(
            names = "--sizes",
            paramLabel = "SIZES",
            description =
                    "Bytes of a chunk: 32, or 16-64 for sizes drawn uniformly, or a list of such, measured one after"
                            + " the other. Default: the workload's")
    private @Nullable String sizes;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "A number, or a list of numbers, measured one after the other. Default: 1 and the cores'")
    private @Nullable String threads;

    @Option(
            names = "--distribution",
            paramLabel = "NAME",
            defaultValue = "zipf",
            split = ",",
            description =
                    "How the workload chooses chunks: uniform, zipf (skew 0.99), or both with a comma. Default: zipf")
    private List<KeyDistribution> distributions = List.of(KeyDistribution.ZIPF);

    @Option(
            names = "--workload",
            paramLabel = "NAME",
            defaultValue = Workload.DEFAULT,
            description = "ycsb-a (1000 B, half gets), facebook-b (32 B, 95 %% gets), facebook-d (768 B, 95 %% gets),"
                    + " facebook-f (64 B, only gets), graph_cache_leader_assocs, graph_cache_leader_fbobj, kvcache_reg"
                    + " (production distributions of sizes, 95 %% gets) or a file with such a distribution; soak: deletes,"
                    + " creates and resizes at 90 %% fill for --minutes; defragment: every second chunk deleted."
                    + " Default: ${DEFAULT-VALUE}")
    private String workload = Workload.DEFAULT;

    @Option(
            names = "--layout",
            paramLabel = "NAME",
            split = ",",
            description =
                    "classic (the papers' form), typed, or both with a comma. Default: typed; both with --compare")
    private @Nullable List<Layout> layouts;

    @Option(
            names = "--operations",
            paramLabel = "N",
            defaultValue = "4M",
            description = "Operations of all threads together in one round. Default: ${DEFAULT-VALUE}")
    private String operations = "4M";

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "Rounds; their median counts. Default: ${DEFAULT-VALUE}")
    private String rounds = "3";

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "2",
            description = "How long --workload soak takes. Default: ${DEFAULT-VALUE}")
    private double minutes = 2;

    @Option(
            names = "--batch-size",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Chunks in a batch. Default: ${DEFAULT-VALUE}")
    private String batchSize = "1000";

    @Option(
            names = "--parts",
            paramLabel = "PART",
            split = ",",
            description = "Measure only these after the load: ${COMPLETION-CANDIDATES}. Default: all")
    private @Nullable Set<Part> parts;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            description = "Size of the chunk memory, such as 16GiB. Default: what the chunks are expected to need")
    private @Nullable String memory;

    @Option(names = "--verify", description = "Check the bytes of every chunk, not only of a million.")
    private boolean verify;

    @Option(
            names = "--experiment",
            paramLabel = "NAME",
            description = "Repeat an experiment of the papers, with both layouts: ${COMPLETION-CANDIDATES}. --chunks,"
                    + " --operations and --rounds hold for it; the rest it chooses itself.")
    private @Nullable Experiment experiment;

    @Option(
            names = "--compare",
            description =
                    "Measure the same workload on the stores that a Java program would use instead, each in a process"
                            + " of its own.")
    private boolean compare;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there, one JSON object a line.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        List<MemoryPlan> plans;
        try {
            plans = plans();
        } catch (BadOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        if (experiment != null) {
            try (ResultTable table = new ResultTable(json)) {
                table.note(Machine.description());
                experiment.run(plans.getFirst(), table);
            }
            return 0;
        }
        plans.forEach(Ram::require);
        Comparison comparison = compare ? Comparison.find() : null;
        try (ResultTable table = new ResultTable(json)) {
            table.note(Machine.description());
            for (MemoryPlan plan : plans) {
                Experiment.granary(plan, table);
                if (comparison != null && plan.layout() == Layout.TYPED) {
                    comparison.run(plan, table);
                }
            }
        }
        return 0;
    }

    private List<MemoryPlan> plans() {
        Workload parsed = Workload.parse(workload);
        if (!(minutes > 0)) {
            throw new BadOptionException("--minutes must be above 0, not " + minutes);
        }
        List<Layout> both = compare ? List.of(Layout.CLASSIC, Layout.TYPED) : List.of(Layout.TYPED);
        List<MemoryPlan> plans = new ArrayList<>();
        for (SizeDistribution size : sizes == null ? List.of(parsed.sizes()) : SizeDistribution.parseList(sizes)) {
            for (Layout layout : layouts == null ? both : layouts) {
                plans.add(plan("granary", layout, size));
            }
        }
        return plans;
    }

    private MemoryPlan plan(String store, Layout layout, SizeDistribution size) {
        int cores = Runtime.getRuntime().availableProcessors();
        String byDefault = cores > 1 ? "1," + cores : "1";
        return new MemoryPlan(
                store,
                layout,
                Numbers.count("--chunks", chunks),
                size.name(),
                Numbers.list("--threads", threads == null ? byDefault : threads),
                distributions,
                workload,
                number("--operations", operations),
                number("--rounds", rounds),
                number("--batch-size", batchSize),
                memory == null ? 0 : Numbers.bytes("--memory", memory),
                verify,
                minutes,
                parts == null ? EnumSet.allOf(Part.class) : parts,
                true);
    }

    private static int number(String option, String text) {
        long value = Numbers.count(option, text);
        if (value > Integer.MAX_VALUE) {
            throw new BadOptionException(option + " is at most " + Integer.MAX_VALUE + ", not '" + text + "'");
        }
        return (int) value;
    }
}
