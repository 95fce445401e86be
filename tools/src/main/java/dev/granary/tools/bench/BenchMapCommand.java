package dev.granary.tools.bench;

import dev.granary.bench.map.MapKind;
import dev.granary.bench.map.MapPlan;
import dev.granary.bench.map.MapResult;
import dev.granary.bench.map.MapWorker;
import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.Numbers;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the off-heap map beside maps on the heap, each in its own process. */
@Command(
        name = "map",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure the off-heap map beside HashMap and ConcurrentHashMap, each in a process of its own: bytes an entry,"
                    + " inserts, puts, gets, batched gets, longest pause.",
        },
        footer = {
            "",
            "  granary bench map --entries 10M --threads 1,2 --json result.json",
            "",
            "Keys and values have 64 B each, then 16 and 32 B. The maps on the heap have one that is ample (five times what"
                    + " the entries need) and, with 64 B, one that is too small (a quarter more than that), so that the"
                    + " collector (G1) works hard. puts replace random entries; batches have 64 keys. The longest pause is"
                    + " what a thread overslept that sleeps a millisecond at a time, as in jHiccup: on a busy machine others"
                    + " cause some of it. GC is the longest pause by the collector's own account.",
        })
public final class BenchMapCommand implements Callable<Integer> {

    private static final double AMPLE = 5;
    private static final double SMALL = 1.25;
    private static final int MAX_OPERATIONS = 8_000_000;
    private static final long BASE_PROCESS_BYTES = 160L << 20;

    /** The sizes of keys and values, and whether to measure the case with too small a heap as well. */
    private record Shape(int keyBytes, int valueBytes, boolean withSmallHeap) {}

    private record Case(MapPlan plan, long heapBytes) {}

    @Option(
            names = "--entries",
            paramLabel = "N",
            defaultValue = "1M",
            description = "How many entries: 1000000, 1_000_000 or 1M. Default: ${DEFAULT-VALUE}")
    private String entries = "1M";

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "1,2",
            description = "A number, or a list of numbers, measured one after the other; HashMap with 1 only."
                    + " Default: ${DEFAULT-VALUE}")
    private String threads = "1,2";

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there, one JSON object a line.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        List<Case> cases;
        try {
            cases = cases();
        } catch (BadOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
        cases.forEach(BenchMapCommand::checkMemory);
        try (MapTable table = new MapTable(json)) {
            table.note(Machine.description());
            for (Case each : cases) {
                table.section(each.plan());
                run(each, table);
            }
        }
        return 0;
    }

    private List<Case> cases() {
        long count = Numbers.count("--entries", entries);
        if (count > Integer.MAX_VALUE) {
            throw new BadOptionException("--entries is at most " + Integer.MAX_VALUE + ", not '" + entries + "'");
        }
        List<Integer> threadCounts = Numbers.list("--threads", threads);
        List<Case> cases = new ArrayList<>();
        for (Shape shape : List.of(new Shape(64, 64, true), new Shape(16, 32, false))) {
            for (int threadCount : threadCounts) {
                for (MapKind kind : MapKind.values()) {
                    if (threadCount == 1 || kind.isConcurrent()) {
                        add(cases, shape, (int) count, threadCount, kind);
                    }
                }
            }
        }
        return cases;
    }

    private static void add(List<Case> cases, Shape shape, int entries, int threads, MapKind kind) {
        int operations = Math.clamp(2L * entries, 100_000, MAX_OPERATIONS);
        List<String> heaps = !kind.isOnHeap()
                ? List.of("off-heap")
                : shape.withSmallHeap() ? List.of("ample-heap", "small-heap") : List.of("ample-heap");
        for (String heap : heaps) {
            MapPlan plan = new MapPlan(heap, kind, entries, shape.keyBytes(), shape.valueBytes(), threads, operations);
            cases.add(new Case(plan, plan.heapBytes(heap.equals("small-heap") ? SMALL : AMPLE)));
        }
    }

    /** Refuses cases for which this machine has too little memory. */
    private static void checkMemory(Case each) {
        MapPlan plan = each.plan();
        long offHeap = plan.store().isOnHeap()
                ? 0
                : (long) plan.entries() * (plan.keyBytes() + plan.valueBytes() + 12) * 9 / 8;
        long needed = each.heapBytes() + offHeap + BASE_PROCESS_BYTES;
        long available = Machine.availableBytes();
        if (needed > available) {
            throw new UserException(Sizes.count(plan.entries()) + " entries in a " + plan.store() + " take "
                    + Sizes.bytes(needed) + " of RAM, but only " + Sizes.bytes(available)
                    + " are available: use fewer --entries");
        }
    }

    private static void run(Case each, MapTable table) {
        List<String> options = List.of("-XX:-UseSerialGC", "-XX:+UseG1GC");
        boolean[] answered = new boolean[1];
        new MeasuringProcess(MeasuringProcess.ownClassPath(), each.heapBytes(), options)
                .run(
                        MapWorker.class.getName(),
                        each.plan().toArguments(),
                        Map.of(),
                        MeasuringProcess.resultsApart(
                                result -> {
                                    table.add(MapResult.ofJson(result));
                                    answered[0] = true;
                                },
                                table::progress));
        if (!answered[0]) {
            throw new UserException("the measuring process of " + each.plan().store() + " gave no result");
        }
    }
}
