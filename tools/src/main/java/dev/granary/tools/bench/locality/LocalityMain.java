package dev.granary.tools.bench.locality;

import dev.granary.bench.memory.Medians;
import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ClusterLook;
import dev.granary.cli.graph.PackageGraph;
import dev.granary.client.GranaryClient;
import dev.granary.tools.bench.process.ProcessFigures;
import dev.granary.tools.bench.process.RunningCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The process with the client that reads objects with what they refer to, which starts the cluster that it reads from.
 * Arguments: milliseconds of a measurement, rounds, storage peers, reads drawn from, threads, an empty directory, and
 * the graphs with commas between them. Prints JSON objects, and lines for people.
 */
public final class LocalityMain {

    /** The graphs, in the order in which they are measured. */
    public static final List<String> GRAPHS = List.of("trees", "packages", "power-law");

    private static final int DIGITS = 3;

    private final GranaryClient client;
    private final List<Long> pids;
    private final long millis;
    private final int threads;
    private final int peers;

    private LocalityMain(GranaryClient client, List<Long> pids, long millis, int threads, int peers) {
        this.client = client;
        this.pids = pids;
        this.millis = millis;
        this.threads = threads;
        this.peers = peers;
    }

    /** What one measurement gave. */
    private record Got(double treesPerSecond, double p50Micros, double p99Micros, double cpuMicrosPerTree) {}

    /** Measures everything. */
    public static void main(String[] arguments) throws Exception {
        CommandLogging.configure();
        int peers = Integer.parseInt(arguments[2]);
        try {
            try (RunningCluster running = RunningCluster.withoutCopies(Path.of(arguments[5]), peers, "256Mi");
                    GranaryClient client =
                            GranaryClient.connect(running.cluster().administratorOptions())) {
                List<Long> pids = new ArrayList<>(running.pids());
                pids.add(ProcessHandle.current().pid());
                LocalityMain all = new LocalityMain(
                        client, pids, Long.parseLong(arguments[0]), Integer.parseInt(arguments[4]), peers);
                for (String graph : arguments[6].split(",", -1)) {
                    all.run(graph, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[3]));
                }
            }
        } catch (UserException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }

    private static ObjectGraph graph(String name, int count) {
        return switch (name) {
            case "trees" -> ObjectGraph.trees(count);
            case "packages" -> ObjectGraph.packages(PackageGraph.read(), count);
            case "power-law" -> ObjectGraph.powerLaw(count);
            default -> throw new IllegalArgumentException("no graph " + name);
        };
    }

    private void run(String name, int rounds, int count) throws Exception {
        System.out.println(name + ": storing");
        List<Integer> nids = ClusterLook.nids(client);
        ObjectGraph graph = graph(name, count);
        Map<Placement, StoredObjects> stored = new EnumMap<>(Placement.class);
        for (Placement placement : Placement.values()) {
            stored.put(
                    placement, StoredObjects.store(client, nids, graph, placement.of(graph.references(), nids.size())));
        }
        System.out.println(name + ": warm-up");
        for (StoredObjects objects : stored.values()) {
            for (Reading way : Reading.values()) {
                measure(objects, way);
            }
        }
        Map<String, List<Got>> all = new HashMap<>();
        for (int round = 1; round <= rounds; round++) {
            System.out.println(name + ": round " + round + " of " + rounds);
            for (Map.Entry<Placement, StoredObjects> each : stored.entrySet()) {
                for (Reading way : Reading.values()) {
                    all.computeIfAbsent(each.getKey() + " " + way, _ -> new ArrayList<>())
                            .add(measure(each.getValue(), way));
                }
            }
        }
        stored.forEach((placement, objects) -> {
            for (Reading way : Reading.values()) {
                print(name, placement, objects, way, all.getOrDefault(placement + " " + way, List.of()));
            }
        });
    }

    private Got measure(StoredObjects objects, Reading way)
            throws IOException, InterruptedException, ExecutionException {
        long cpuBefore = ProcessFigures.cpuNanos(pids);
        long begin = System.nanoTime();
        long end = begin + TimeUnit.MILLISECONDS.toNanos(millis);
        List<FutureTask<Histogram>> tasks = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            SplittableRandom random = new SplittableRandom(thread);
            FutureTask<Histogram> task = new FutureTask<>(() -> reads(objects, way, random, end));
            tasks.add(task);
            Thread.ofPlatform().name("reads-" + thread).start(task);
        }
        Histogram latencies = new Histogram(DIGITS);
        for (FutureTask<Histogram> task : tasks) {
            latencies.add(task.get());
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        long done = latencies.getTotalCount();
        return new Got(
                done / seconds,
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3,
                (ProcessFigures.cpuNanos(pids) - cpuBefore) / 1e3 / done);
    }

    private Histogram reads(StoredObjects objects, Reading way, SplittableRandom random, long end) {
        Histogram latencies = new Histogram(DIGITS);
        long now = System.nanoTime();
        do {
            long[] cids = objects.cids(random.nextInt(objects.count()));
            int found = way.read(client, cids);
            if (found != cids.length) {
                throw new UserException("a read (" + way + ") found " + found + " of " + cids.length + " objects");
            }
            long then = System.nanoTime();
            latencies.recordValue(then - now);
            now = then;
        } while (now - end < 0);
        return latencies;
    }

    private void print(String graph, Placement placement, StoredObjects objects, Reading way, List<Got> rounds) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("graph", graph);
        line.put("case", way.toString());
        line.put("place", placement.toString());
        line.put("peers", peers);
        line.put("peersPerTree", rounded(objects.peersPerRead()));
        line.put("objectsPerTree", rounded(objects.objectsPerRead()));
        line.put("trees", objects.count());
        line.put("threads", threads);
        line.put("rounds", rounds.size());
        double perSecond = Medians.of(rounds, Got::treesPerSecond);
        line.put("treesPerSecond", rounded(perSecond));
        line.put("objectsPerSecond", Math.round(perSecond * objects.objectsPerRead()));
        line.put("p50Micros", rounded(Medians.of(rounds, Got::p50Micros)));
        line.put("p99Micros", rounded(Medians.of(rounds, Got::p99Micros)));
        line.put("cpuMicrosPerTree", rounded(Medians.of(rounds, Got::cpuMicrosPerTree)));
        System.out.println(Json.compact(line));
    }

    private static double rounded(double value) {
        return Math.round(10 * value) / 10.0;
    }
}
