package dev.granary.cli.command;

import dev.granary.cli.base.Json;
import dev.granary.cli.base.Sizes;
import dev.granary.cli.base.UserException;
import dev.granary.cli.graph.ClientChunkStore;
import dev.granary.cli.graph.GraphLoader;
import dev.granary.cli.graph.GraphLoader.LoadedGraph;
import dev.granary.cli.graph.GraphText;
import dev.granary.cli.graph.PackageGraph;
import dev.granary.cli.keys.LifetimeConverter;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.Cid;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a data set into a cluster and prints the CID of its root, or sets keys. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Load a data set, keys from a file, or the keys of a Redis into the cluster.",
            "debian-packages is a graph: a chunk for every package of a Debian release and for every list of its"
                    + " dependencies, recommendations and conflicts. The CID of its root is printed.",
        },
        footer = {
            "",
            "  root=$(granary load debian-packages)    standard output has the CID alone",
            "  granary verify debian-packages $root",
            "  granary load --keys users.csv --header           key,value",
            "  produce | granary load --keys - --expire 1h      key, tab, value",
            "  granary load --from-redis redis.example:6379     strings and hashes",
        })
public final class LoadCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private DurabilityOption durability = new DurabilityOption();

    @Parameters(
            arity = "0..1",
            paramLabel = "DATASET",
            converter = DataSet.Converter.class,
            description = "debian-packages")
    private @Nullable DataSet dataSet;

    @Option(
            names = "--keys",
            paramLabel = "FILE",
            description = "Set the keys of a file; - is standard input. A file whose name ends with .csv has lines of"
                    + " key,value, another one lines of key, tab, value.")
    private @Nullable String keysFile;

    @Option(names = "--csv", description = "The keys are lines of key,value, whatever the name of the file.")
    private boolean csv;

    @Option(names = "--header", description = "Skip the first line of the file.")
    private boolean header;

    @Option(
            names = "--expire",
            paramLabel = "DURATION",
            converter = LifetimeConverter.class,
            description = "Remove the keys of the file after this time, such as 500ms, 30s, 10m, 12h or 7d.")
    private @Nullable Duration lifetime;

    @Option(
            names = "--from-redis",
            paramLabel = "HOST:PORT",
            description = "Copy the keys of a server of the Redis protocol. A password is taken from $REDISCLI_AUTH.")
    private @Nullable String redis;

    @Option(
            names = "--match",
            paramLabel = "PATTERN",
            description = "Copy only keys of the Redis that match, such as 'user:*'.")
    private @Nullable String pattern;

    @Option(names = "--json", description = "Print one JSON object with figures.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        long sources =
                Stream.of(dataSet, keysFile, redis).filter(Objects::nonNull).count();
        if (sources != 1) {
            throw new UserException(
                    "say what to load: debian-packages, --keys FILE or --from-redis HOST:PORT (one of" + " them)");
        }
        boolean ofFile = csv || header || lifetime != null;
        if (ofFile && keysFile == null) {
            throw new UserException("--csv, --header and --expire go with --keys FILE");
        }
        if (pattern != null && redis == null) {
            throw new UserException("--match goes with --from-redis HOST:PORT");
        }
        String consequence = dataSet == null ? "the keys so far stay" : "deleting what was loaded so far";
        try (Interruption interruption = new Interruption(consequence);
                GranaryClient client = connect.connect(durability.level())) {
            KeyLoads keys = new KeyLoads(client, interruption, json);
            if (keysFile != null) {
                keys.fromFile(keysFile, csv, header, lifetime);
            } else if (redis != null) {
                keys.fromRedis(redis, pattern);
            } else {
                loadGraph(client, interruption);
            }
        }
        return 0;
    }

    private void loadGraph(GranaryClient client, Interruption interruption) {
        PackageGraph graph = PackageGraph.read();
        GraphText.describe(graph).forEach(System.err::println);
        long start = System.nanoTime();
        LoadedGraph loaded;
        try (ProgressBar bar = Progress.bar("load", GraphLoader.chunks(graph))) {
            loaded = GraphLoader.load(new ClientChunkStore(client), graph, chunks -> {
                interruption.check();
                bar.stepBy(chunks);
            });
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.err.printf(
                "loaded %s of %s: %s chunks with %s in %.1f s; the root is%n",
                dataSet,
                Sizes.count(graph.vertices()) + " packages",
                Sizes.count(loaded.chunks()),
                Sizes.bytes(loaded.payloadBytes()),
                seconds);
        if (json) {
            Map<String, Object> figures = new LinkedHashMap<>();
            figures.put("root", Cid.toHex(loaded.root()));
            figures.put("chunks", loaded.chunks());
            figures.put("bytes", loaded.payloadBytes());
            figures.put("seconds", seconds);
            System.out.println(Json.compact(figures));
        } else {
            System.out.println(Cid.toHex(loaded.root()));
        }
    }
}
