package dev.granary.cli.command;

import dev.granary.cli.base.Sizes;
import dev.granary.cli.graph.ClientChunkStore;
import dev.granary.cli.graph.GraphLoader;
import dev.granary.cli.graph.GraphLoader.LoadedGraph;
import dev.granary.cli.graph.GraphText;
import dev.granary.cli.graph.PackageGraph;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.Cid;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ProgressBar;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Writes a data set into a cluster and prints the CID of its root. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Load a data set into the cluster and print the CID of its root.",
            "debian-packages is a graph: a chunk for every package of a Debian release and for every list of its"
                    + " dependencies, recommendations and conflicts.",
        },
        footer = {
            "",
            "  root=$(granary load debian-packages)      the CID alone goes to standard output",
            "  granary verify debian-packages $root",
        })
public final class LoadCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private DurabilityOption durability = new DurabilityOption();

    @Parameters(paramLabel = "DATASET", converter = DataSet.Converter.class, description = "debian-packages")
    private DataSet dataSet = DataSet.DEBIAN_PACKAGES;

    @Override
    public Integer call() {
        PackageGraph graph = PackageGraph.read();
        GraphText.describe(graph).forEach(System.err::println);
        try (Interruption interruption = new Interruption("deleting what was loaded so far");
                GranaryClient client = connect.connect(durability.level())) {
            long start = System.nanoTime();
            LoadedGraph loaded;
            try (ProgressBar bar = Progress.bar("load", GraphLoader.chunks(graph))) {
                loaded = GraphLoader.load(new ClientChunkStore(client), graph, chunks -> {
                    interruption.check();
                    bar.stepBy(chunks);
                });
            }
            System.err.printf(
                    "loaded %s of %s: %s chunks with %s in %.1f s; the root is%n",
                    dataSet,
                    Sizes.count(graph.vertices()) + " packages",
                    Sizes.count(loaded.chunks()),
                    Sizes.bytes(loaded.payloadBytes()),
                    (System.nanoTime() - start) / 1e9);
            System.out.println(Cid.toHex(loaded.root()));
        }
        return 0;
    }
}
