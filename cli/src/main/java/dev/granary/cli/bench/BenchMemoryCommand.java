package dev.granary.cli.bench;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.KeyDistribution;
import dev.granary.bench.memory.Layout;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.MemoryPlan;
import dev.granary.bench.memory.MemoryWorker;
import dev.granary.bench.memory.Numbers;
import dev.granary.bench.memory.Part;
import dev.granary.bench.memory.SizeDistribution;
import dev.granary.bench.memory.Workload;
import dev.granary.cli.Sizes;
import dev.granary.cli.UserException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures chunk memory embedded in a process of its own, beside a plain off-heap array. */
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
                    + " load. A line of another store shows how many times slower it is than the typed layout.",
        })
public final class BenchMemoryCommand implements Callable<Integer> {

    private static final long BASE_PROCESS_BYTES = 160L << 20;

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
                    + " (production distributions of sizes, 95 %% gets) or a file with such a distribution."
                    + " Default: ${DEFAULT-VALUE}")
    private String workload = Workload.DEFAULT;

    @Option(
            names = "--layout",
            paramLabel = "NAME",
            defaultValue = "typed",
            split = ",",
            description =
                    "classic (the papers' form), typed, or both with a comma. Default: typed; both with --compare")
    private List<Layout> layouts = List.of(Layout.TYPED);

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
        plans.forEach(BenchMemoryCommand::checkMemory);
        try (ResultTable table = new ResultTable(json)) {
            table.note(Machine.description());
            for (MemoryPlan plan : plans) {
                run(plan, table);
            }
        }
        return 0;
    }

    private List<MemoryPlan> plans() {
        Workload parsed = Workload.parse(workload);
        List<MemoryPlan> plans = new ArrayList<>();
        for (SizeDistribution size : sizes == null ? List.of(parsed.sizes()) : SizeDistribution.parseList(sizes)) {
            for (Layout layout : layouts) {
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
                0,
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

    /** Refuses what this machine cannot hold. */
    private static void checkMemory(MemoryPlan plan) {
        long available = Machine.availableBytes();
        long payload = (long) (plan.chunks() * plan.sizeDistribution().meanBytes());
        long rest = plan.measuringHeapBytes() + BASE_PROCESS_BYTES;
        long needed = plan.layout().expectedBytes(plan.chunks(), payload) + rest;
        if (needed > available) {
            throw new UserException(String.format(
                    Locale.ROOT,
                    "%s chunks of %.0f B take some %s of RAM (%s layout), but only %s are available: use fewer chunks or"
                            + " smaller ones",
                    Sizes.count(plan.chunks()),
                    plan.sizeDistribution().meanBytes(),
                    Sizes.bytes(needed),
                    plan.layout(),
                    Sizes.bytes(available)));
        }
        if (plan.memoryBytes() > 0 && plan.memoryBytes() + rest > available) {
            throw new UserException("--memory asks for " + Sizes.bytes(plan.memoryBytes()) + ", but only "
                    + Sizes.bytes(available) + " of RAM are available");
        }
    }

    private static void run(MemoryPlan plan, ResultTable table) {
        table.section(String.format(
                Locale.ROOT,
                "%s chunks of %s B, workload %s, %s layout",
                Sizes.count(plan.chunks()),
                plan.sizes(),
                plan.workload(),
                plan.layout()));
        new MeasuringProcess(MeasuringProcess.ownClassPath(), plan.measuringHeapBytes(), List.of())
                .run(MemoryWorker.class.getName(), List.of(plan.toJson()), Map.of(), table::add, table::note);
    }
}
