package dev.granary.tools.bench;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.Numbers;
import dev.granary.bench.stores.StoreWorkload;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.compare.CaseTable;
import dev.granary.tools.bench.compare.CompareExperiment;
import dev.granary.tools.bench.compare.ComparePlan;
import dev.granary.tools.bench.compare.Launcher;
import dev.granary.tools.bench.compare.Processors;
import dev.granary.tools.bench.compare.Rating;
import dev.granary.tools.bench.compare.StoreChoice;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares a cluster with other stores, each with a client of its own. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Compare Granary with Redis, Valkey, memcached, Hazelcast, Infinispan and Ignite over loopback, side by side in"
                    + " one run: YCSB A to F, the papers' workloads, gets of many objects, LinkBench's mix, BG's actions with"
                    + " their rating, and sizes of production caches with churn.",
        },
        footer = {
            "",
            "  granary bench compare --json compare.json               three hours",
            "  granary bench compare --quick --json compare.json       under ten minutes",
            "  granary bench report --from compare.json                a page with plots",
            "",
            "Each store is a server in processes of their own on the processors of --server-cpus, without copies and"
                    + " files. Each client is a process on those of --client-cpus, and all its threads wait for answers. All"
                    + " stay, and take turns in rounds. Each is warmed up before a measurement until it gets no faster."
                    + " Hazelcast keeps values on the heap: off-heap is not in its open source edition.",
            "",
            "YCSB's library draws operations, objects and values. An object is one value of all its fields, which an"
                    + " update replaces. A scan reads objects with consecutive numbers in one request. The open loop has a"
                    + " rate for all stores, and times from the moment at which a request was due, so a stall counts for all"
                    + " that would have come meanwhile. Processor time is that of all threads, compilers included; that of"
                    + " servers is counted in hundredths of a second.",
            "",
            "LinkBench's nodes and lists of links are objects; a change of links writes the list again. Of production"
                    + " caches there are three distributions of sizes; 95 of 100 requests read, 4 replace an object by one of"
                    + " another size, and one writes a new object and deletes the oldest one.",
            "",
            "BG's members view profiles, friends, requests, resources and comments, and one of a hundred actions changes"
                    + " lists of friends. A store's rating is its highest rate, out of several numbers of threads, with 95 of"
                    + " 100 actions under 100 ms and at most one of 10,000 that reads something stale. Friends follow a power"
                    + " law (bg), or are packages that need each other (bg-packages).",
            "",
            "A store that this machine does not have is an error when --stores names it, and left out otherwise.",
        })
public final class BenchCompareCommand implements Callable<Integer> {

    private static final long HEAP_BYTES = 768L << 20;

    /** Processes log nothing, since nobody reads it. */
    private static final String NO_LOG = "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider";

    private static final List<Integer> RATED_THREADS = List.of(1, 4, 16, 64);
    private static final List<Integer> QUICK_RATED_THREADS = List.of(4, 16);
    private static final int QUICK_OBJECTS = 20_000;
    private static final int QUICK_MILLIS = 350;
    private static final int QUICK_ROUNDS = 3;
    private static final int QUICK_WARM_UPS = 6;
    private static final int WARM_UPS = 12;
    private static final List<String> QUICK_LEAVES_OUT = List.of(
            StoreWorkload.BG_PACKAGES.toString(),
            StoreWorkload.PRODUCTION_ASSOCS.toString(),
            StoreWorkload.PRODUCTION_FBOBJ.toString());
    private static final List<Integer> QUICK_BATCHES = List.of(1_000, 100_000);

    @Option(
            names = "--stores",
            paramLabel = "STORE",
            split = ",",
            description = "Measure only these: granary, redis, valkey, memcached, hazelcast, infinispan, ignite."
                    + " Default: all that this machine has")
    private List<String> stores = List.of();

    @Option(
            names = "--workloads",
            paramLabel = "NAME",
            split = ",",
            description = "Measure only these: ycsb-a to ycsb-f, facebook-b, facebook-d, facebook-f, multi-get-ordered,"
                    + " multi-get-random, linkbench, bg, bg-packages, production-assocs, production-fbobj, production-kvcache."
                    + " Default: all; with --quick all but bg-packages, production-assocs and production-fbobj")
    private List<String> workloads = List.of();

    @Option(names = "--quick", description = "Fewer objects and rounds of 0.35 s.")
    private boolean quick;

    @Option(
            names = "--objects",
            paramLabel = "N",
            description = "How many objects of each shape. Default: 200K, with --quick 20K")
    private String objects = "";

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "8",
            description = "Threads with single operations. Default: ${DEFAULT-VALUE}")
    private int threads = 8;

    @Option(
            names = "--rated-threads",
            paramLabel = "N",
            split = ",",
            description = "Numbers of threads for BG's rating, measured one after the other. Default: 1,4,16,64, with"
                    + " --quick 4,16")
    private List<Integer> ratedThreads = List.of();

    @Option(
            names = "--batch",
            paramLabel = "N",
            split = ",",
            description =
                    "Objects in a request of multi-gets, measured one after the other. Default: 1000,10000,100000,"
                            + "1000000, with --quick 1000,100000")
    private List<Integer> batches = List.of();

    @Option(
            names = "--batch-threads",
            paramLabel = "N",
            defaultValue = "2",
            description = "Threads with multi-gets. Default: ${DEFAULT-VALUE}")
    private int batchThreads = 2;

    @Option(
            names = "--millis",
            paramLabel = "N",
            description = "How long each store is measured in a round. Default: 5000, with --quick 350")
    private int millis;

    @Option(names = "--rounds", paramLabel = "N", description = "Rounds. Default: 5, with --quick 3")
    private int rounds;

    @Option(
            names = "--open-percent",
            paramLabel = "N",
            defaultValue = "50",
            description =
                    "The rate of the open loop, of 100 of what the slowest store does in the closed loop; 0 for no"
                            + " open loop. Default: ${DEFAULT-VALUE}")
    private int openPercent = 50;

    @Option(
            names = "--server-cpus",
            paramLabel = "LIST",
            description = "The processors of each server, such as 0-3,6. Default: the first half")
    private @Nullable String serverCpus;

    @Option(
            names = "--client-cpus",
            paramLabel = "LIST",
            description = "The processors of each client. Default: the second half")
    private @Nullable String clientCpus;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Where the servers keep their files. Default: a temporary directory")
    private @Nullable Path directory;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rounds there, one JSON object a line.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        ComparePlan plan = plan();
        String libraries = Comparison.find().classPath();
        try (PrintWriter file = BenchOptions.open(json);
                WorkDirectory work = WorkDirectory.make(directory)) {
            System.out.println("  " + Machine.description());
            System.out.println(CaseTable.head());
            new CompareExperiment(plan, work.path(), new JavaProcesses(libraries), new Shown(file)).run();
        }
        return 0;
    }

    private record Shown(@Nullable PrintWriter file) implements CompareExperiment.Output {

        @Override
        public void line(String json) {
            if (file != null) {
                file.println(json);
            }
        }

        @Override
        public void table(CaseTable table) {
            System.out.print(table.print());
        }

        @Override
        public void ratings(List<Rating> ratings) {
            ratings.forEach(rating -> System.out.print(rating.print()));
        }

        @Override
        public void note(String text) {
            System.err.println("  " + text + " ...");
        }
    }

    /** Java processes with heaps that are equal for all stores. */
    private record JavaProcesses(String libraries) implements Launcher {

        @Override
        public ProcessBuilder ours(String mainClass, List<String> arguments) {
            return new MeasuringProcess(MeasuringProcess.ownClassPath(), HEAP_BYTES, SMALL)
                    .builder(mainClass, arguments);
        }

        @Override
        public ProcessBuilder server(StoreChoice store, String mainClass, List<String> arguments, ComparePlan plan) {
            return new MeasuringProcess(libraries, HEAP_BYTES + plan.memoryBytes(), options(store.options()))
                    .builder(mainClass, arguments);
        }

        @Override
        public ProcessBuilder client(StoreChoice store, String mainClass, List<String> arguments, ComparePlan plan) {
            return new MeasuringProcess(
                            libraries, HEAP_BYTES + plan.largestBatch() * BATCH_BYTES, options(store.options()))
                    .builder(mainClass, arguments);
        }

        /** Heaps begin small: many processes stay, and most of them wait. */
        private static final List<String> SMALL = List.of("-Xms64m", "-XX:-AlwaysPreTouch");

        /** What clients take for an object of a batch and for its key, several times over. */
        private static final long BATCH_BYTES = 1_024;

        private static List<String> options(List<String> ofStore) {
            List<String> all = new ArrayList<>(ofStore);
            all.addAll(SMALL);
            all.add(NO_LOG);
            return all;
        }
    }

    private ComparePlan plan() {
        int processors = Runtime.getRuntime().availableProcessors();
        try {
            String count = objects.isEmpty() ? (quick ? String.valueOf(QUICK_OBJECTS) : "200K") : objects;
            ComparePlan plan = new ComparePlan(
                    stores.isEmpty() ? availableStores() : stores,
                    workloads.isEmpty() ? defaultWorkloads() : workloads,
                    (int) Math.min(Numbers.count("--objects", count), Integer.MAX_VALUE),
                    threads,
                    ratedThreads.isEmpty() ? (quick ? QUICK_RATED_THREADS : RATED_THREADS) : ratedThreads,
                    batches.isEmpty() ? (quick ? QUICK_BATCHES : List.of(1_000, 10_000, 100_000, 1_000_000)) : batches,
                    batchThreads,
                    millis == 0 ? (quick ? QUICK_MILLIS : 5_000) : millis,
                    rounds == 0 ? (quick ? QUICK_ROUNDS : 5) : rounds,
                    quick ? QUICK_WARM_UPS : WARM_UPS,
                    openPercent,
                    serverCpus == null ? Processors.ofServers(processors) : serverCpus,
                    clientCpus == null ? Processors.ofClients(processors) : clientCpus);
            plan.check();
            requireAvailable(plan);
            return plan;
        } catch (BadOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private List<String> defaultWorkloads() {
        return StoreWorkload.names().stream()
                .filter(name -> !quick || !QUICK_LEAVES_OUT.contains(name))
                .toList();
    }

    private static List<String> availableStores() {
        List<String> all = new ArrayList<>();
        for (StoreChoice store : StoreChoice.values()) {
            if (store.isAvailable()) {
                all.add(store.toString());
            } else {
                System.err.println("  " + store + " is left out: " + store.missing());
            }
        }
        return all;
    }

    private static void requireAvailable(ComparePlan plan) {
        for (StoreChoice store : plan.choices()) {
            if (!store.isAvailable()) {
                throw new UserException(store.missing());
            }
        }
    }
}
