package dev.granary.cli.command;

import dev.granary.cli.base.Sizes;
import dev.granary.cli.graph.ClientChunkStore;
import dev.granary.cli.graph.GraphLoader;
import dev.granary.cli.graph.GraphVerifier;
import dev.granary.cli.graph.PackageGraph;
import dev.granary.client.GranaryClient;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ProgressBar;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Reads a loaded data set back and compares every chunk with what was loaded. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Read a loaded data set back, every chunk of it, and compare it with what was loaded.",
            "Ends with exit code 1 at the first difference.",
        })
public final class VerifyCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Parameters(
            index = "0",
            paramLabel = "DATASET",
            converter = DataSet.Converter.class,
            description = "debian-packages")
    private DataSet dataSet = DataSet.DEBIAN_PACKAGES;

    @Parameters(
            index = "1",
            paramLabel = "ROOT",
            converter = CidConverter.class,
            description = "The CID that 'granary load' printed.")
    private long root;

    @Override
    public Integer call() {
        PackageGraph graph = PackageGraph.read();
        try (GranaryClient client = connect.connect()) {
            long start = System.nanoTime();
            long chunks;
            try (ProgressBar bar = Progress.bar("verify", GraphLoader.chunks(graph))) {
                chunks = GraphVerifier.verify(new ClientChunkStore(client), root, graph, bar::stepBy);
            }
            System.out.printf(
                    "verified %s: %s chunks are what they should be, in %.1f s%n",
                    dataSet, Sizes.count(chunks), (System.nanoTime() - start) / 1e9);
        }
        return 0;
    }
}
