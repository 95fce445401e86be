package dev.granary.tools.bench.hostile;

import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.client.ClientOptions;
import dev.granary.client.GranaryClient;
import dev.granary.overlay.HostAddress;
import dev.granary.tools.bench.process.ProcessFigures;
import dev.granary.tools.bench.process.RunningCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The process with the well-behaved clients; hostile ones have processes of their own. Arguments: milliseconds for each
 * measurement, the cases with commas between them, and an empty directory. Prints JSON objects, and lines for people.
 */
public final class HostileMain {

    private static final long WARM_MILLIS = 5_000;
    private static final long SETTLE_MILLIS = 2_000;
    private static final long SAMPLE_MILLIS = 200;

    private final long millis;
    private final LocalCluster cluster;
    private final Target target;

    private HostileMain(long millis, RunningCluster running) {
        this.millis = millis;
        this.cluster = running.cluster();
        this.target = target(running);
    }

    /** Measures everything. */
    public static void main(String[] arguments) throws InterruptedException, IOException {
        CommandLogging.configure();
        try {
            try (RunningCluster running = RunningCluster.withoutCopies(Path.of(arguments[2]), 1, "512Mi")) {
                new HostileMain(Long.parseLong(arguments[0]), running).run(List.of(arguments[1].split(",", -1)));
            }
        } catch (UserException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }

    private static Target target(RunningCluster running) {
        LocalCluster cluster = running.cluster();
        return new Target(
                socket(cluster.storagePeers().getFirst()),
                socket(cluster.seeds().getFirst()),
                socket(cluster.redisAddresses().getFirst()),
                running.pids());
    }

    private static InetSocketAddress socket(HostAddress address) {
        return new InetSocketAddress(address.host(), address.port());
    }

    private GranaryClient connect() {
        return GranaryClient.connect(ClientOptions.of(cluster.addresses()).withDeadline(Duration.ofSeconds(30)));
    }

    private void run(List<String> cases) throws InterruptedException, IOException {
        try (GranaryClient good = connect();
                GoodClients clients = new GoodClients(good, target.door())) {
            System.out.println("warm-up");
            clients.run(Math.min(WARM_MILLIS, millis));
            print("alone", clients.run(millis), null, 0, ProcessFigures.residentBytes(target.pids()));
            for (String name : cases) {
                System.out.println(name);
                measure(name, clients);
            }
        }
    }

    private void measure(String name, GoodClients clients) throws InterruptedException, IOException {
        long before = ProcessFigures.residentBytes(target.pids());
        GoodClients.Got alone = clients.run(millis);
        GoodClients.Got beside;
        AtomicLong most = new AtomicLong(before);
        try (ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();
                AttackProcess _ = AttackProcess.begin(name, target)) {
            var _ = sampler.scheduleAtFixedRate(() -> sample(most), 0, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
            settle();
            beside = clients.run(millis);
            sampler.shutdownNow();
        }
        print(name, beside, alone, before, most.get());
        settle();
    }

    /** Short measurements are tries of the command, which need not wait longer than they take. */
    private void settle() throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(Math.min(SETTLE_MILLIS, 2 * millis));
    }

    private void sample(AtomicLong most) {
        try {
            most.accumulateAndGet(ProcessFigures.residentBytes(target.pids()), Math::max);
        } catch (IOException e) {
            // A process has ended: the clients say so.
        }
    }

    private static void print(
            String name, GoodClients.Got got, GoodClients.@Nullable Got alone, long residentBefore, long resident) {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("case", name);
        line.put("goodShare", alone == null ? null : rounded(got.perSecond() / alone.perSecond(), 1e3));
        line.put("p99Micros", rounded(got.p99Micros(), 1));
        line.put("rssBytes", resident);
        line.put("goodPerSecond", rounded(got.perSecond(), 1));
        line.put("goodErrors", got.errors());
        line.put("alonePerSecond", alone == null ? null : rounded(alone.perSecond(), 1));
        line.put("aloneP99Micros", alone == null ? null : rounded(alone.p99Micros(), 1));
        line.put("rssBytesBefore", alone == null ? null : residentBefore);
        System.out.println(Json.compact(line));
    }

    private static double rounded(double value, double factor) {
        return Math.round(value * factor) / factor;
    }
}
