package dev.granary.tools.bench.metrics;

import dev.granary.bench.memory.Medians;
import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.ClusterState.NodeState;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.client.AsyncGranaryClient;
import dev.granary.client.Place;
import dev.granary.tools.bench.process.ProcessFigures;
import dev.granary.tools.bench.process.RunningCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The process with the client of a storage peer, and with the counters that the storage peer has for its requests.
 * Arguments: milliseconds for each measurement, rounds, and an empty directory. Prints JSON objects, and lines for
 * people.
 */
public final class MetricsMain {

    private static final int CHUNKS = 10_000;
    private static final int CHUNK_BYTES = 64;
    private static final int UNDER_WAY = 16;
    private static final long SEED = 1;

    /** On a busy machine it takes that long until the storage peer is compiled. */
    private static final int WARM_ROUNDS = 4;

    private final long millis;
    private final int rounds;
    private final SplittableRandom random = new SplittableRandom(SEED);

    private MetricsMain(long millis, int rounds) {
        this.millis = millis;
        this.rounds = rounds;
    }

    /**
     * What one round has found.
     *
     * @param perSecond gets
     * @param requestNanos processor time of the storage peer for a get
     * @param recordNanos processor time to count and time a request
     * @param sharedNanos the same where two threads use the same counters
     */
    private record Round(double perSecond, double requestNanos, double recordNanos, double sharedNanos) {}

    /** Measures everything. */
    public static void main(String[] arguments) throws InterruptedException, IOException {
        CommandLogging.configure();
        Path directory = Path.of(arguments[2]).resolve("cluster");
        try (RunningCluster running = RunningCluster.withoutCopies(directory, 1, "512Mi")) {
            new MetricsMain(Long.parseLong(arguments[0]), Integer.parseInt(arguments[1])).run(running.cluster());
        } catch (UserException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }

    private void run(LocalCluster cluster) throws InterruptedException, IOException {
        NodeState storagePeer = cluster.state().nodes().getLast();
        try (AsyncGranaryClient client = AsyncGranaryClient.connect(cluster.administratorOptions())) {
            long[] cids = client.createAll(Collections.nCopies(CHUNKS, new byte[CHUNK_BYTES]), Place.anywhere())
                    .join();
            System.out.println("warm-up");
            for (int round = 0; round < WARM_ROUNDS; round++) {
                measure(client, cids, storagePeer.pid());
            }
            List<Round> all = new ArrayList<>();
            for (int number = 1; number <= rounds; number++) {
                Round round = measure(client, cids, storagePeer.pid());
                all.add(round);
                print(Integer.toString(number), round);
            }
            print(
                    "median",
                    new Round(
                            Medians.of(all, Round::perSecond),
                            Medians.of(all, Round::requestNanos),
                            Medians.of(all, Round::recordNanos),
                            Medians.of(all, Round::sharedNanos)));
        }
    }

    private Round measure(AsyncGranaryClient client, long[] cids, long pid) throws InterruptedException, IOException {
        Semaphore room = new Semaphore(UNDER_WAY);
        long cpuBefore = ProcessFigures.cpuNanos(List.of(pid));
        long begin = System.nanoTime();
        long gets = 0;
        for (; System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(millis); gets++) {
            room.acquire();
            var _ = client.get(cids[random.nextInt(cids.length)]).whenComplete((value, failure) -> room.release());
        }
        room.acquire(UNDER_WAY);
        long nanos = System.nanoTime() - begin;
        double requestNanos = (double) (ProcessFigures.cpuNanos(List.of(pid)) - cpuBefore) / gets;
        return new Round(1e9 * gets / nanos, requestNanos, Recorded.nanosOf(1, millis), Recorded.nanosOf(2, millis));
    }

    private static void print(String name, Round round) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("round", name);
        line.put("getsPerSecond", Math.round(round.perSecond));
        line.put("requestNanos", Math.round(round.requestNanos));
        line.put("recordNanos", rounded(round.recordNanos));
        line.put("sharedNanos", rounded(round.sharedNanos));
        line.put("sharePercent", rounded(100 * round.recordNanos / round.requestNanos));
        line.put("sharedPercent", rounded(100 * round.sharedNanos / round.requestNanos));
        System.out.println(Json.compact(line));
    }

    private static double rounded(double value) {
        return Math.round(1e2 * value) / 1e2;
    }
}
