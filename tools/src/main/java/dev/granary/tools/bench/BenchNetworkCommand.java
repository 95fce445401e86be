package dev.granary.tools.bench;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.memory.Machine;
import dev.granary.bench.memory.Numbers;
import dev.granary.tools.bench.network.ClientKind;
import dev.granary.tools.bench.network.NetworkCase;
import dev.granary.tools.bench.network.NetworkExperiment;
import dev.granary.tools.bench.network.NetworkLine;
import dev.granary.tools.bench.network.NetworkPlan;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the Java client beside clients of a redis-server. */
@Command(
        name = "network",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measure the Java client beside Jedis and Lettuce with a redis-server, over loopback, side by side in one run:"
                    + " operations a second, latencies, processor time, bytes of heap.",
        },
        footer = {
            "",
            "  granary bench network --json result.json                     ten minutes",
            "  granary bench network --quick --clients granary,jedis        one minute",
            "",
            "Servers are one redis-server without files, and a cluster of one super-peer and as many storage peers as there"
                    + " are copies. Each client is a process of its own with its own objects; all stay, and take turns in"
                    + " rounds. Each is warmed up before a measurement until it gets no faster. Figures are medians of"
                    + " rounds; the file has the rates of all rounds as well. Threads wait for each answer, so a stall is"
                    + " noted once for each. Each server has a session of its own (setsid), as services have. An operation is one object, also in a batch, and latencies are those of"
                    + " requests. Jedis has a connection for each thread, Lettuce one for all. granary waits by the client's"
                    + " waiting methods, granary-futures for the client's futures. Processor time is that of all threads,"
                    + " compilers included; of servers it is counted in hundredths of a second.",
        })
public final class BenchNetworkCommand implements Callable<Integer> {

    private static final String FORMAT = "%-8s %-16s %7s %6s %6s %11s %9s %9s %9s %9s %9s %8s %8s%n";
    private static final long HEAP_BYTES = 512L << 20;

    /** Clients log nothing: their output has results. */
    private static final String NO_LOG = "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider";

    private static final int QUICK_OBJECTS = 20_000;
    private static final int QUICK_MILLIS = 700;

    @Option(
            names = "--case",
            paramLabel = "CASE",
            defaultValue = "clients",
            description =
                    "Other defaults for one question: clients; allocations, of clients of Granary; replicated-put,"
                            + " puts with three copies beside puts without. Default: ${DEFAULT-VALUE}")
    private String caseName = "clients";

    @Option(
            names = "--objects",
            paramLabel = "N",
            defaultValue = "200K",
            description = "How many objects of each client. Default: ${DEFAULT-VALUE}")
    private String objects = "200K";

    @Option(
            names = "--value-bytes",
            paramLabel = "N",
            defaultValue = "32",
            description = "The size of each object. Default: ${DEFAULT-VALUE}")
    private int valueBytes = 32;

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description = "Threads with single operations, measured one after the other. Default: 1,8,32")
    private List<Integer> threads = List.of();

    @Option(
            names = "--batch",
            paramLabel = "N",
            split = ",",
            description = "Objects in a request, measured one after the other after single operations; 0 for none."
                    + " Default: 1000")
    private List<Integer> batches = List.of();

    @Option(
            names = "--batch-threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "Threads with batches. Default: ${DEFAULT-VALUE}")
    private int batchThreads = 4;

    @Option(
            names = "--get-percent",
            paramLabel = "N",
            description = "How many of 100 requests are gets; the others are puts. Default: 95")
    private @Nullable Integer getPercent;

    @Option(
            names = "--millis",
            paramLabel = "N",
            defaultValue = "3000",
            description = "How long each client is measured in a round. Default: ${DEFAULT-VALUE}")
    private int millis = 3_000;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5", description = "Rounds. Default: ${DEFAULT-VALUE}")
    private int rounds = 5;

    @Option(
            names = "--copies",
            paramLabel = "N",
            split = ",",
            description = "Copies of each chunk in Granary, 1 to 4, one cluster for each number. Default: 1")
    private List<Integer> copies = List.of();

    @Option(
            names = "--clients",
            paramLabel = "CLIENT",
            split = ",",
            description = "Measure only these. Default: granary,granary-futures,jedis,lettuce")
    private List<String> clients = List.of();

    @Option(names = "--quick", description = "20,000 objects and rounds of 0.7 s, to see whether all of it works.")
    private boolean quick;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Where the servers keep their files. Default: a temporary directory")
    private @Nullable Path directory;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there, one JSON object a line.")
    private @Nullable Path json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        NetworkPlan plan = plan();
        Comparison comparison = plan.comparesStores() ? Comparison.find() : null;
        String others = comparison == null ? "" : comparison.classPath();
        try (PrintWriter file = BenchOptions.open(json);
                WorkDirectory work = WorkDirectory.make(directory)) {
            System.out.println("  " + Machine.description());
            System.out.printf(
                    FORMAT,
                    "store",
                    "client",
                    "threads",
                    "batch",
                    "copies",
                    "ops/s",
                    "p50 us",
                    "p99 us",
                    "p99.9 us",
                    "client ns",
                    "server ns",
                    "client B",
                    "server B");
            new NetworkExperiment(
                            plan,
                            work.path(),
                            (kind, mainClass, arguments) ->
                                    process(kind, others).builder(mainClass, arguments),
                            line -> show(line, file),
                            note -> System.err.println("  " + note + " ..."))
                    .run();
        }
        return 0;
    }

    private static MeasuringProcess process(ClientKind kind, String others) {
        return new MeasuringProcess(
                kind.isOurs() ? MeasuringProcess.ownClassPath() : others, HEAP_BYTES, List.of(NO_LOG));
    }

    private NetworkPlan plan() {
        NetworkCase chosen = NetworkCase.of(caseName)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(),
                        "--case is one of " + String.join(", ", NetworkCase.names()) + ", not '" + caseName + "'"));
        try {
            long count = quick ? QUICK_OBJECTS : Numbers.count("--objects", objects);
            NetworkPlan plan = new NetworkPlan(
                    (int) Math.min(count, Integer.MAX_VALUE),
                    valueBytes,
                    threads.isEmpty() ? chosen.threads() : threads,
                    batches.isEmpty() ? chosen.batches() : batches.equals(List.of(0)) ? List.of() : batches,
                    batchThreads,
                    getPercent == null ? chosen.getPercent() : getPercent,
                    quick ? QUICK_MILLIS : millis,
                    rounds,
                    copies.isEmpty() ? chosen.copies() : copies,
                    clients.isEmpty() ? chosen.clients() : clients);
            plan.check();
            return plan;
        } catch (BadOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private static void show(NetworkLine line, @Nullable PrintWriter file) {
        if (file != null) {
            file.println(line.toJson());
        }
        System.out.printf(
                FORMAT,
                line.get(NetworkLine.STORE),
                line.get(NetworkLine.CLIENT),
                line.get(NetworkLine.THREADS),
                line.get(NetworkLine.BATCH),
                line.get(NetworkLine.COPIES),
                number("%,.0f", line, NetworkLine.OPS),
                number("%.1f", line, NetworkLine.P50),
                number("%.1f", line, NetworkLine.P99),
                number("%.1f", line, NetworkLine.P999),
                number("%,.0f", line, NetworkLine.CLIENT_CPU),
                number("%,.0f", line, NetworkLine.SERVER_CPU),
                number("%,.0f", line, NetworkLine.CLIENT_BYTES),
                number("%,.0f", line, NetworkLine.SERVER_BYTES));
    }

    private static String number(String format, NetworkLine line, String field) {
        return line.get(field) instanceof Number value ? String.format(Locale.ROOT, format, value.doubleValue()) : "-";
    }
}
