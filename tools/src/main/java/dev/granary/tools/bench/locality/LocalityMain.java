package dev.granary.tools.bench.locality;

import dev.granary.bench.memory.Medians;
import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ClusterLook;
import dev.granary.client.GranaryClient;
import dev.granary.tools.bench.process.ProcessFigures;
import dev.granary.tools.bench.process.RunningCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * The process with the client that reads trees, which starts the cluster that it reads from. Arguments: milliseconds of
 * a measurement, rounds, storage peers, trees of each placement, threads, and an empty directory. Prints JSON objects,
 * and lines for people.
 */
public final class LocalityMain {

    private static final String ANYWHERE = "anywhere";
    private static final String NEAR = "near";
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
                new LocalityMain(client, pids, Long.parseLong(arguments[0]), Integer.parseInt(arguments[4]), peers)
                        .run(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[3]));
            }
        } catch (UserException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }

    private void run(int rounds, int count) throws Exception {
        List<Integer> nids = ClusterLook.nids(client);
        Map<String, Trees> placements = new LinkedHashMap<>();
        placements.put(ANYWHERE, Trees.make(client, nids, count, false));
        placements.put(NEAR, Trees.make(client, nids, count, true));
        System.out.println("warm-up");
        for (Trees trees : placements.values()) {
            for (TreeReads way : TreeReads.values()) {
                measure(trees, way);
            }
        }
        Map<String, List<Got>> all = new LinkedHashMap<>();
        for (int round = 1; round <= rounds; round++) {
            System.out.println("round " + round + " of " + rounds);
            for (Map.Entry<String, Trees> placement : placements.entrySet()) {
                for (TreeReads way : TreeReads.values()) {
                    all.computeIfAbsent(placement.getKey() + " " + way, _ -> new ArrayList<>())
                            .add(measure(placement.getValue(), way));
                }
            }
        }
        for (Map.Entry<String, Trees> placement : placements.entrySet()) {
            for (TreeReads way : TreeReads.values()) {
                print(
                        placement.getKey(),
                        placement.getValue(),
                        way,
                        all.getOrDefault(placement.getKey() + " " + way, List.of()));
            }
        }
    }

    private Got measure(Trees trees, TreeReads way) throws IOException, InterruptedException, ExecutionException {
        long cpuBefore = ProcessFigures.cpuNanos(pids);
        long begin = System.nanoTime();
        long end = begin + TimeUnit.MILLISECONDS.toNanos(millis);
        List<FutureTask<Histogram>> tasks = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            SplittableRandom random = new SplittableRandom(thread);
            FutureTask<Histogram> task = new FutureTask<>(() -> reads(trees, way, random, end));
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

    private Histogram reads(Trees trees, TreeReads way, SplittableRandom random, long end) {
        Histogram latencies = new Histogram(DIGITS);
        long now = System.nanoTime();
        do {
            int found = way.read(client, trees.cids(random.nextInt(trees.count())));
            if (found != Trees.OBJECTS) {
                throw new UserException(
                        "a read of a tree (" + way + ") found " + found + " of " + Trees.OBJECTS + " objects");
            }
            long then = System.nanoTime();
            latencies.recordValue(then - now);
            now = then;
        } while (now - end < 0);
        return latencies;
    }

    private void print(String placement, Trees trees, TreeReads way, List<Got> rounds) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("case", way.toString());
        line.put("place", placement);
        line.put("peers", peers);
        line.put("peersPerTree", rounded(trees.peersPerTree()));
        line.put("objectsPerTree", Trees.OBJECTS);
        line.put("trees", trees.count());
        line.put("threads", threads);
        line.put("rounds", rounds.size());
        double perSecond = Medians.of(rounds, Got::treesPerSecond);
        line.put("treesPerSecond", rounded(perSecond));
        line.put("objectsPerSecond", Math.round(perSecond * Trees.OBJECTS));
        line.put("p50Micros", rounded(Medians.of(rounds, Got::p50Micros)));
        line.put("p99Micros", rounded(Medians.of(rounds, Got::p99Micros)));
        line.put("cpuMicrosPerTree", rounded(Medians.of(rounds, Got::cpuMicrosPerTree)));
        System.out.println(Json.compact(line));
    }

    private static double rounded(double value) {
        return Math.round(10 * value) / 10.0;
    }
}
