package dev.granary.tools.bench;

import dev.granary.bench.memory.AllocatorWorker;
import dev.granary.bench.memory.HashWorker;
import dev.granary.bench.memory.Layout;
import dev.granary.bench.memory.MemoryPlan;
import dev.granary.bench.memory.MemoryWorker;
import dev.granary.bench.memory.Part;
import dev.granary.bench.memory.Workload;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The experiments of the papers on which this system is based, with both layouts side by side. */
enum Experiment {
    /** Bytes per chunk for 8 to 256 B (DXMem, figure 3). */
    OVERHEAD_BY_SIZE {
        @Override
        void run(MemoryPlan plan, ResultTable table) {
            List<String> sizes = List.of("8", "16", "32", "64", "128", "256");
            sizes.forEach(size -> layouts(plan.withSizes(size).withThreads(1).withParts(Set.of()), table));
        }
    },
    /** Bytes per chunk for 16 to 64 B in steps of 4 and for sizes drawn uniformly, beside malloc (DXRAM, figure 4). */
    UNIFORM_SIZES {
        @Override
        void run(MemoryPlan plan, ResultTable table) {
            List<String> sizes = Stream.concat(
                            IntStream.rangeClosed(4, 16).mapToObj(i -> String.valueOf(4 * i)), Stream.of("16-64"))
                    .toList();
            for (String size : sizes) {
                MemoryPlan load = plan.withSizes(size).withThreads(1).withParts(Set.of());
                layouts(load, table);
                allocators(load, table);
            }
        }
    },
    /** The four workloads with 1 to 128 threads (DXMem, figures 4 to 7). */
    THREADS {
        @Override
        void run(MemoryPlan plan, ResultTable table) {
            for (String name : List.of("ycsb-a", "facebook-b", "facebook-d", "facebook-f")) {
                MemoryPlan one = plan.withWorkload(
                                name, Workload.parse(name).sizes().name())
                        .withThreads(1, 2, 4, 8, 16, 32, 64, 128)
                        .withParts(Set.of(Part.WORKLOAD));
                layouts(one, table);
            }
        }
    },
    /** The parts of a get of 32 B and of 16 KiB, with 1 and 128 threads (DXMem, figure 8). */
    GET_BREAKDOWN {
        @Override
        void run(MemoryPlan plan, ResultTable table) {
            Comparison libraries = Comparison.find();
            for (int threads : List.of(1, 128)) {
                table.section(
                        threads + " threads, ns an operation; size is the translation, get adds validation and copy");
                new MeasuringProcess(
                                libraries.classPath(), 256L << 20, List.of("--sun-misc-unsafe-memory-access=allow"))
                        .run(
                                "org.openjdk.jmh.Main",
                                List.of("GetBreakdown", "-t", String.valueOf(threads)),
                                Map.of(),
                                table::add,
                                table::note);
            }
        }
    },
    /** Every second chunk of 50 B deleted, then all of it defragmented (DXRAM, table I). */
    DEFRAGMENT {
        @Override
        void run(MemoryPlan plan, ResultTable table) {
            layouts(
                    plan.withWorkload(
                            "defragment", Workload.parse("defragment").sizes().name()),
                    table);
        }
    },
    /** The table of identifiers beside hash tables, with values of 8 B (DXRAM, figure 5). */
    TABLE_AGAINST_HASH {
        @Override
        void run(MemoryPlan plan, ResultTable table) {
            MemoryPlan small = plan.withSizes("8").withThreads(1).withParts(Set.of(Part.WORKLOAD, Part.SINGLES));
            layouts(small, table);
            Map<String, Integer> heapBytesPerObject = Map.of("hash-map", 100, "open-addressing", 24, "cuckoo", 40);
            for (String store : List.of("open-addressing", "cuckoo", "hash-map")) {
                long heap = plan.measuringHeapBytes() + plan.chunks() * heapBytesPerObject.getOrDefault(store, 0);
                // Tables of arrays are one or two large objects of the old generation. A map of objects needs a young
                // generation.
                List<String> young = store.equals("hash-map") ? List.of() : List.of("-Xmn64m");
                try {
                    Ram.require(heap, store + " with " + Sizes.count(plan.chunks()) + " objects");
                    new MeasuringProcess(MeasuringProcess.ownClassPath(), heap, young)
                            .run(
                                    HashWorker.class.getName(),
                                    List.of(small.compared(store, 1)
                                            .withParts(small.parts())
                                            .toJson()),
                                    Map.of(),
                                    table::add,
                                    table::note);
                } catch (UserException e) {
                    table.note(store + " was not measured: " + e.getMessage());
                }
            }
        }
    };

    private static final List<String> LIBRARY_DIRECTORIES = List.of(
            "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib");

    /** Libraries to preload, by the allocator's name; glibc needs none. */
    private static final Map<String, List<String>> ALLOCATORS = Map.of(
            "jemalloc", List.of("libjemalloc.so.2", "libjemalloc.so"),
            "tcmalloc", List.of("libtcmalloc_minimal.so.4", "libtcmalloc.so.4", "libtcmalloc_minimal.so"));

    /** Runs the experiment, each store in its own process. */
    abstract void run(MemoryPlan plan, ResultTable table);

    private static void layouts(MemoryPlan plan, ResultTable table) {
        for (Layout layout : Layout.values()) {
            granary(plan.withLayout(layout), table);
        }
    }

    /** Measures chunk memory according to a plan. */
    static void granary(MemoryPlan plan, ResultTable table) {
        table.section(String.format(
                Locale.ROOT,
                "%s chunks of %s B, workload %s, %s layout",
                Sizes.count(plan.chunks()),
                plan.sizes(),
                plan.workload(),
                plan.layout()));
        try {
            Ram.require(plan);
        } catch (UserException e) {
            table.note("not measured: " + e.getMessage());
            return;
        }
        new MeasuringProcess(MeasuringProcess.ownClassPath(), plan.measuringHeapBytes(), List.of())
                .run(MemoryWorker.class.getName(), List.of(plan.toJson()), Map.of(), table::add, table::note);
    }

    private static void allocators(MemoryPlan plan, ResultTable table) {
        allocator(plan, "glibc", "", table);
        ALLOCATORS.forEach((name, files) -> LIBRARY_DIRECTORIES.stream()
                .flatMap(directory -> files.stream().map(file -> Path.of(directory, file)))
                .filter(Files::isRegularFile)
                .findFirst()
                .ifPresentOrElse(
                        library -> allocator(plan, name, library.toString(), table),
                        () -> table.note(name + " was not measured: none of " + files + " is installed (Debian:"
                                + " libjemalloc2, libtcmalloc-minimal4)")));
    }

    private static void allocator(MemoryPlan plan, String name, String library, ResultTable table) {
        new MeasuringProcess(MeasuringProcess.ownClassPath(), plan.measuringHeapBytes(), List.of())
                .run(
                        AllocatorWorker.class.getName(),
                        List.of(plan.toJson(), name, library),
                        library.isEmpty() ? Map.of() : Map.of("LD_PRELOAD", library),
                        table::add,
                        table::note);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
