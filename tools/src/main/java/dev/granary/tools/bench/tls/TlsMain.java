package dev.granary.tools.bench.tls;

import dev.granary.bench.memory.Medians;
import dev.granary.cli.base.CommandLogging;
import dev.granary.cli.base.Json;
import dev.granary.cli.base.UserException;
import dev.granary.cli.cluster.LocalCluster;
import dev.granary.cli.cluster.LocalTls;
import dev.granary.tools.bench.process.RunningCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The process with the clients of two clusters, one with TLS and one without. Arguments: milliseconds for each
 * measurement, rounds, the cases with commas between them, and an empty directory. Prints JSON objects, and lines for
 * people.
 */
public final class TlsMain {

    /** The cases, in the order in which they are measured. */
    public static final List<String> CASES = TlsClients.CASES;

    private static final long WARM_MILLIS = 4_000;

    private final long millis;
    private final int rounds;
    private final List<String> cases;

    private TlsMain(long millis, int rounds, List<String> cases) {
        this.millis = millis;
        this.rounds = rounds;
        this.cases = cases;
    }

    /** Measures everything. */
    public static void main(String[] arguments) throws InterruptedException, IOException {
        CommandLogging.configure();
        Path directory = Path.of(arguments[3]);
        try {
            LocalTls.make(directory.resolve("tls"));
            try (RunningCluster plain = RunningCluster.withoutCopies(directory.resolve("plain"), 1, "512Mi");
                    RunningCluster tls = RunningCluster.withoutCopies(directory.resolve("tls"), 1, "512Mi")) {
                new TlsMain(
                                Long.parseLong(arguments[0]),
                                Integer.parseInt(arguments[1]),
                                List.of(arguments[2].split(",", -1)))
                        .run(plain.cluster(), tls.cluster());
            }
        } catch (UserException e) {
            System.err.println("granary: " + e.getMessage());
            System.exit(1);
        }
    }

    private void run(LocalCluster plainCluster, LocalCluster tlsCluster) throws InterruptedException, IOException {
        try (TlsClients plain = new TlsClients(plainCluster);
                TlsClients tls = new TlsClients(tlsCluster)) {
            // All cases first: they share most of their code, which the virtual machines compile meanwhile.
            System.out.println("warm-up");
            for (String name : cases) {
                plain.run(name, Math.min(WARM_MILLIS, millis));
                tls.run(name, Math.min(WARM_MILLIS, millis));
            }
            for (String name : cases) {
                System.out.println(name);
                List<Pair> pairs = new ArrayList<>();
                for (int round = 1; round <= rounds; round++) {
                    // Each goes first as often as the other.
                    boolean plainFirst = round % 2 == 1;
                    TlsClients.Got first = (plainFirst ? plain : tls).run(name, millis);
                    TlsClients.Got second = (plainFirst ? tls : plain).run(name, millis);
                    Pair pair = plainFirst ? new Pair(first, second) : new Pair(second, first);
                    pairs.add(pair);
                    print(name, Integer.toString(round), pair);
                }
                print(name, "median", median(pairs));
            }
        }
    }

    private record Pair(TlsClients.Got plain, TlsClients.Got tls) {}

    private static Pair median(List<Pair> pairs) {
        return new Pair(
                middle(pairs.stream().map(Pair::plain).toList()),
                middle(pairs.stream().map(Pair::tls).toList()));
    }

    private static TlsClients.Got middle(List<TlsClients.Got> all) {
        return new TlsClients.Got(
                Medians.of(all, TlsClients.Got::perSecond),
                Medians.of(all, TlsClients.Got::p99Micros),
                Medians.of(all, TlsClients.Got::cpuMicros));
    }

    private static void print(String name, String round, Pair pair) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("case", name);
        line.put("round", round);
        line.put("plainPerSecond", Math.round(pair.plain.perSecond()));
        line.put("tlsPerSecond", Math.round(pair.tls.perSecond()));
        line.put("share", rounded(pair.tls.perSecond() / pair.plain.perSecond()));
        line.put("cpuRatio", rounded(pair.tls.cpuMicros() / pair.plain.cpuMicros()));
        line.put("plainCpuMicros", rounded(pair.plain.cpuMicros()));
        line.put("tlsCpuMicros", rounded(pair.tls.cpuMicros()));
        line.put("plainP99Micros", Math.round(pair.plain.p99Micros()));
        line.put("tlsP99Micros", Math.round(pair.tls.p99Micros()));
        System.out.println(Json.compact(line));
    }

    private static double rounded(double value) {
        return Math.round(1e3 * value) / 1e3;
    }
}
