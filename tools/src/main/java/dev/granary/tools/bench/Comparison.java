package dev.granary.tools.bench;

import dev.granary.bench.memory.ComparedStore;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.MemoryPlan;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Measures the same workload on the stores that a Java program would use instead, each in its own process for each
 * number of threads. Only those processes see the directory of their libraries.
 */
final class Comparison {

    private static final String MAIN_CLASS = "dev.granary.bench.compare.CompareWorker";
    private static final String DIRECTORY_VARIABLE = "GRANARY_COMPARE_LIB";
    private static final long BASE_PROCESS_BYTES = 256L << 20;

    private final Path libraries;

    private Comparison(Path libraries) {
        this.libraries = libraries;
    }

    /**
     * Finds the libraries.
     *
     * @throws UserException when they have not been built
     */
    static Comparison find() {
        String directory = System.getenv().getOrDefault(DIRECTORY_VARIABLE, "");
        if (directory.isEmpty() || !Files.isDirectory(Path.of(directory))) {
            throw new UserException(
                    "the libraries of the compared stores are missing: run ./granary in a checkout, which builds"
                            + " them, or build the module bench/compare and name its target/dist/lib by "
                            + DIRECTORY_VARIABLE);
        }
        return new Comparison(Path.of(directory));
    }

    /** The class path with all compared stores and JMH. */
    String classPath() {
        return libraries + File.separator + "*";
    }

    /** Measures all stores. Notes each store that cannot run here. */
    void run(MemoryPlan plan, ResultTable table) {
        for (ComparedStore store : ComparedStore.values()) {
            table.note(store + ":");
            for (int threads : plan.threads()) {
                try {
                    run(plan.compared(store.toString(), threads), store, table);
                } catch (UserException e) {
                    table.note(store + " was not measured with " + threads + " threads: " + e.getMessage());
                }
            }
        }
    }

    private void run(MemoryPlan plan, ComparedStore store, ResultTable table) {
        long payload = (long) (plan.chunks() * plan.sizeDistribution().meanBytes());
        long heap = store.heapBytes(plan.chunks(), payload) + plan.measuringHeapBytes();
        long outside = store.nativeBytes(plan.chunks(), payload);
        long available = Machine.availableBytes();
        if (heap + outside + BASE_PROCESS_BYTES > available) {
            throw new UserException("it would take some " + Sizes.bytes(heap + outside + BASE_PROCESS_BYTES)
                    + " of RAM, " + Sizes.bytes(available) + " are available");
        }
        List<String> options = new ArrayList<>(store.options());
        options.add("-XX:MaxDirectMemorySize=" + (outside + (64L << 20)));
        new MeasuringProcess(classPath(), heap, options)
                .run(MAIN_CLASS, List.of(plan.toJson()), Map.of(), table::add, table::note);
    }
}
