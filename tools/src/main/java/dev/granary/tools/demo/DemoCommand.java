package dev.granary.tools.demo;

import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.cluster.TemporaryCluster;
import dev.granary.cli.graph.GraphText;
import dev.granary.cli.graph.PackageGraph;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.client.StorageFullException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows Granary on real data, from an empty machine to figures, and leaves nothing behind. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Start a local cluster, load a real graph of tiny objects into it, ask it questions, measure it, and clean up.",
            "The graph is every package of a Debian release with its dependencies, recommendations and conflicts. Takes"
                    + " less than two minutes on two processors.",
        },
        footer = {
            "",
            "  granary demo --from blender --to mysql-common      why does a 3D editor need a database's files?",
            "  granary demo --keep                                and look around afterwards",
        })
public final class DemoCommand implements Callable<Integer> {

    private static final int MAX_SUPER_PEERS = 9;
    private static final int MAX_STORAGE_PEERS = 64;
    private static final int MAX_SECONDS = 3600;

    @Option(
            names = "--storage-peers",
            paramLabel = "N",
            defaultValue = "3",
            description = "Number of storage peers, 1 to 64 (default: ${DEFAULT-VALUE}).")
    private int storagePeers;

    @Option(
            names = "--super-peers",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of super-peers, 1 to 9 (default: ${DEFAULT-VALUE}).")
    private int superPeers;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "256Mi",
            description = "Chunk memory of each storage peer (default: ${DEFAULT-VALUE}).")
    private String memory = "";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "9",
            description = "How long the measured phase takes, at least 3 (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--needed",
            paramLabel = "PACKAGE",
            defaultValue = "libc6",
            description = "What needs this package? (default: ${DEFAULT-VALUE})")
    private String needed = "";

    @Option(
            names = "--from",
            paramLabel = "PACKAGE",
            defaultValue = "blender",
            description = "Where the chain of needs begins (default: ${DEFAULT-VALUE}).")
    private String from = "";

    @Option(
            names = "--to",
            paramLabel = "PACKAGE",
            defaultValue = "mysql-common",
            description = "Where it ends (default: ${DEFAULT-VALUE}).")
    private String to = "";

    @Option(names = "--keep", description = "Leave the cluster running with the graph in it.")
    private boolean keep;

    @Option(
            names = "--json",
            description = "End standard output with one JSON object of figures; the text goes to standard error.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        requireRange("--storage-peers", storagePeers, 1, MAX_STORAGE_PEERS);
        requireRange("--super-peers", superPeers, 1, MAX_SUPER_PEERS);
        requireRange("--seconds", seconds, 3, MAX_SECONDS);
        Screen screen = new Screen(json ? System.err : System.out);
        try {
            PackageGraph graph = readGraph(screen);
            DemoReport report = runOnCluster(graph, screen);
            if (json) {
                System.out.println(report.toJson());
            }
            return 0;
        } catch (StorageFullException e) {
            throw new UserException(
                    "the graph does not fit into " + storagePeers + " storage peers of " + memory
                            + " each; give them more by --memory or take more by --storage-peers (" + e.getMessage()
                            + ")",
                    e);
        }
    }

    private PackageGraph readGraph(Screen screen) {
        screen.heading("The graph: packages of Debian and what they say of each other");
        PackageGraph graph = PackageGraph.read();
        graph.requireKnown(needed);
        graph.requireKnown(from);
        graph.requireKnown(to);
        GraphText.describe(graph).forEach(screen::text);
        return graph;
    }

    private DemoReport runOnCluster(PackageGraph graph, Screen screen) throws IOException, InterruptedException {
        try (TemporaryCluster cluster = new TemporaryCluster("demo", screen::heading, screen::text, keep)) {
            screen.heading("The cluster: processes of their own on this machine");
            long start = System.nanoTime();
            LocalCluster running = cluster.start(LocalCluster.Plan.of(superPeers, storagePeers, memory, 0));
            screen.text(String.format(Locale.ROOT, "ready after %.1f s", (System.nanoTime() - start) / 1e9));
            try (GranaryClient client = GranaryClient.connect(ClientOptions.of(running.addresses()))) {
                return new Demo(client, graph, running.redisAddresses().getFirst(), screen)
                        .run(from, to, needed, Duration.ofSeconds(seconds));
            }
        }
    }

    private static void requireRange(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new UserException(option + " is " + value + "; allowed are " + min + " to " + max);
        }
    }
}
