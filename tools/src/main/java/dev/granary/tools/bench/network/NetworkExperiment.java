package dev.granary.tools.bench.network;

import dev.granary.bench.network.LoopRequest;
import dev.granary.bench.network.NetworkWorker;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.network.Contestant.Result;
import dev.granary.tools.bench.redis.GranaryStore;
import dev.granary.tools.bench.redis.MeasuredStore;
import dev.granary.tools.bench.redis.RedisStore;
import dev.granary.tools.bench.redis.StoreKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of all clients, side by side: all servers and clients stay, and in each measurement the clients take
 * turns, so that a busy moment of the machine meets all of them.
 */
public final class NetworkExperiment {

    /** The most attempts to find a client faster than before. */
    private static final int MOST_WARM_UPS = 8;

    /** A client is warm when it gains less than this. */
    private static final double GAIN = 1.05;

    /** Stores of others take some 100 bytes beside each object; clusters need room for each client's objects. */
    private static final long BOOKKEEPING_BYTES = 128;

    private static final long LEAST_MEMORY_BYTES = 256L << 20;
    private static final String REDIS_WORKER = "dev.granary.bench.compare.RedisNetworkWorker";

    private final NetworkPlan plan;
    private final Path directory;
    private final Launcher launcher;
    private final Consumer<NetworkLine> results;
    private final Consumer<String> notes;
    private final List<AutoCloseable> open = new ArrayList<>();
    private long seed = 1;

    /**
     * Describes an experiment without starting it.
     *
     * @param directory an empty directory for the files of servers
     * @param results takes each measurement
     * @param notes takes lines for people
     */
    public NetworkExperiment(
            NetworkPlan plan,
            Path directory,
            Launcher launcher,
            Consumer<NetworkLine> results,
            Consumer<String> notes) {
        this.plan = plan;
        this.directory = directory;
        this.launcher = launcher;
        this.results = results;
        this.notes = notes;
    }

    /**
     * Measures everything and ends all processes.
     *
     * @throws UserException when a server or a client fails
     */
    public void run() throws IOException, InterruptedException {
        try {
            List<Contestant> contestants = start();
            for (int threads : plan.threads()) {
                measure(contestants, threads, 1);
            }
            for (int batch : plan.batches()) {
                measure(contestants, plan.batchThreads(), batch);
            }
        } finally {
            end();
        }
    }

    private List<Contestant> start() throws IOException, InterruptedException {
        List<Contestant> contestants = new ArrayList<>();
        MeasuredStore redis = plan.comparesStores() ? startRedis() : null;
        for (int copies : plan.copies()) {
            GranaryStore cluster = plan.kinds().stream().anyMatch(ClientKind::isOurs) ? startCluster(copies) : null;
            for (ClientKind kind : plan.kinds()) {
                if (kind.isOurs() && cluster != null) {
                    contestants.add(contestant(kind, cluster, cluster.seed(), cluster.servers()));
                } else if (redis != null && copies == plan.copies().getFirst()) {
                    int port = redis.addresses().getFirst().getPort();
                    contestants.add(contestant(kind, redis, Integer.toString(port), null));
                }
            }
        }
        return contestants;
    }

    private GranaryStore startCluster(int copies) throws IOException {
        long memoryBytes = LEAST_MEMORY_BYTES + 2L * plan.objects() * copies * (plan.valueBytes() + BOOKKEEPING_BYTES);
        GranaryStore cluster = keep(GranaryStore.start(copies, memoryBytes, folder("granary-" + copies)));
        notes.accept("a cluster with " + copies + (copies == 1 ? " copy" : " copies") + " runs");
        return cluster;
    }

    private MeasuredStore startRedis() throws IOException, InterruptedException {
        Path executable = StoreKind.REDIS
                .executable()
                .orElseThrow(() -> new UserException("there is no redis-server: install the package redis-server, or"
                        + " name one by REDIS_SERVER, or measure without it by --clients granary,granary-futures"));
        RedisStore redis = keep(RedisStore.start(StoreKind.REDIS, executable, folder("redis")));
        notes.accept("redis-server " + redis.version() + " runs");
        return redis;
    }

    private Path folder(String name) throws IOException {
        return Files.createDirectories(directory.resolve(name));
    }

    private Contestant contestant(ClientKind kind, MeasuredStore store, String address, @Nullable List<Long> javaPids) {
        List<String> arguments = List.of(
                kind.toString(), address, Integer.toString(plan.objects()), Integer.toString(plan.valueBytes()));
        String mainClass = kind.isOurs() ? NetworkWorker.class.getName() : REDIS_WORKER;
        ClientProcess client = keep(ClientProcess.start(kind, launcher.process(kind, mainClass, arguments)));
        ServerHeap heap = javaPids == null ? null : keep(ServerHeap.of(javaPids));
        notes.accept("the client " + kind + " has loaded its objects");
        return new Contestant(kind, client, store, heap);
    }

    private <T extends AutoCloseable> T keep(T opened) {
        open.add(opened);
        return opened;
    }

    private void end() {
        for (AutoCloseable each : open.reversed()) {
            try {
                each.close();
            } catch (Exception e) {
                notes.accept("something did not end well: " + e);
            }
        }
    }

    private void measure(List<Contestant> contestants, int threads, int batch) throws IOException {
        for (Contestant each : contestants) {
            notes.accept("warm-up: " + each.kind() + ", " + what(threads, batch));
            warmUp(each, threads, batch);
        }
        Map<Contestant, List<Result>> all = new LinkedHashMap<>();
        for (int round = 1; round <= plan.rounds(); round++) {
            notes.accept("round " + round + " of " + plan.rounds() + ", " + what(threads, batch));
            for (Contestant each : contestants) {
                all.computeIfAbsent(each, _ -> new ArrayList<>()).add(each.measure(request(threads, batch)));
            }
        }
        all.forEach((each, rounds) -> results.accept(NetworkLine.of(each, plan, threads, batch, rounds)));
    }

    private static String what(int threads, int batch) {
        return threads + " threads, " + (batch == 1 ? "single operations" : "batches of " + batch);
    }

    /** Measures until that gets no faster. */
    private void warmUp(Contestant each, int threads, int batch) throws IOException {
        double best = 0;
        for (int attempt = 0; attempt < MOST_WARM_UPS; attempt++) {
            double now = each.measure(request(threads, batch)).opsPerSecond();
            if (now < best * GAIN) {
                return;
            }
            best = now;
        }
    }

    private LoopRequest request(int threads, int batch) {
        seed += threads;
        return new LoopRequest(threads, batch, plan.getPercent(), plan.millis(), seed);
    }
}
