package dev.granary.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.bench.stores.CaseFigures;
import dev.granary.bench.stores.CaseRequest;
import dev.granary.bench.stores.ServerReady;
import dev.granary.bench.stores.StoreWorkload;
import dev.granary.cli.base.Json;
import dev.granary.tools.bench.process.JsonProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ComparePlan}, and what lines and tables say of it. */
class ComparePlanTest {

    private static ComparePlan plan(List<String> stores, List<String> workloads, List<Integer> batches, String cpus) {
        return new ComparePlan(stores, workloads, 20_000, 8, List.of(4, 16), batches, 2, 400, 3, 4, 50, cpus, "1");
    }

    private static void refused(ComparePlan plan, String option) {
        assertThatThrownBy(plan::check).isInstanceOf(BadOptionException.class).hasMessageContaining(option);
    }

    @Test
    void check_namesAndNumbersThatMakeSense_areTaken() {
        assertThatCode(() -> plan(StoreChoice.names(), StoreWorkload.names(), List.of(1_000), "0-1,3")
                        .check())
                .doesNotThrowAnyException();
    }

    @Test
    void check_whatMakesNoSense_isRefusedByItsOption() {
        refused(plan(List.of("cassandra"), List.of("ycsb-a"), List.of(10), "0"), "--stores");
        refused(plan(List.of("redis", "redis"), List.of("ycsb-a"), List.of(10), "0"), "--stores");
        refused(plan(List.of("redis"), List.of("ycsb-g"), List.of(10), "0"), "--workloads");
        refused(plan(List.of("redis"), List.of("ycsb-a"), List.of(2_000_000), "0"), "--batch");
        refused(plan(List.of("redis"), List.of("ycsb-a"), List.of(10), "first"), "--server-cpus");
    }

    @Test
    void objectsByData_largeBatches_loadAsManyObjectsOfTheirShapeAlone() {
        ComparePlan plan =
                plan(List.of("redis"), List.of("ycsb-a", "facebook-b", "multi-get-random"), List.of(100_000), "0");
        assertThat(plan.objectsByData()).isEqualTo(Map.of("10x100", 20_000, "1x32", 100_000));
        assertThat(plan.memoryBytes()).isBetween(300L << 20, 600L << 20);
    }

    @Test
    void processors_ofMachinesOfOneTwoAndEight_areHalves() {
        assertThat(Processors.ofServers(1)).isEqualTo("0");
        assertThat(Processors.ofClients(1)).isEqualTo("0");
        assertThat(Processors.ofServers(2)).isEqualTo("0");
        assertThat(Processors.ofClients(2)).isEqualTo("1");
        assertThat(Processors.ofServers(8)).isEqualTo("0-3");
        assertThat(Processors.ofClients(8)).isEqualTo("4-7");
    }

    @Test
    void of_namesOfStores_findsEach() {
        assertThat(StoreChoice.names())
                .containsExactly("granary", "redis", "valkey", "memcached", "hazelcast", "infinispan", "ignite");
        assertThat(StoreChoice.of("ignite")).contains(StoreChoice.IGNITE);
        assertThat(StoreChoice.IGNITE.options()).allMatch(option -> option.startsWith("-"));
        assertThat(StoreChoice.GRANARY.options()).isEmpty();
        assertThat(StoreChoice.INFINISPAN.isAvailable()).isTrue();
    }

    private static Contestant.Result result(double opsPerSecond) {
        return new Contestant.Result(new CaseFigures(10, 1, "gone", 5, 1, 1.5, 2, 3, 4, 0), opsPerSecond, 700, 900);
    }

    @Test
    void median_ofThreeRounds_isTheMiddleOne() {
        List<Contestant.Result> rounds = List.of(result(30), result(10), result(20));
        assertThat(CaseTable.medianOpsPerSecond(rounds)).isEqualTo(20);
        CaseRequest request = new CaseRequest("ycsb-a", false, 10, 8, 1, 400, 0);
        assertThat(new CaseTable(request, Map.of("redis", rounds)).print())
                .contains("ycsb-a", "closed", "redis", " 20 ", " 3\n");
    }

    private static CaseTable rated(int threads, Contestant.Result... rounds) {
        return new CaseTable(new CaseRequest("bg", false, 10, threads, 1, 400, 0), Map.of("redis", List.of(rounds)));
    }

    private static Contestant.Result rated(double opsPerSecond, double p95Micros, long stale, long errors) {
        CaseFigures figures = new CaseFigures(20_000, errors, null, 5, 1, p95Micros, p95Micros, p95Micros, 4, stale);
        return new Contestant.Result(figures, opsPerSecond, 700, 900);
    }

    @Test
    void rating_severalNumbersOfThreads_isTheBestThatKeepsTheLimits() {
        CaseTable slow = rated(1, rated(100, 50, 0, 0));
        CaseTable good = rated(4, rated(300, 100_000, 1, 0), rated(320, 90_000, 1, 0), rated(310, 90_000, 1, 0));
        CaseTable late = rated(16, rated(400, 100_001, 0, 0));
        CaseTable stale = rated(64, rated(500, 50, 3, 0));
        CaseTable failed = rated(128, rated(600, 50, 0, 1));
        assertThat(Rating.of("bg", List.of(slow, good, late, stale, failed)))
                .containsExactly(new Rating("bg", "redis", 310, 4, 6));
        assertThat(Rating.of("bg", List.of(late))).containsExactly(new Rating("bg", "redis", 0, 0, 0));
        assertThat(good.print()).contains("bg/4");
    }

    @Test
    void friends_ofPackages_areNumbersOfAGraphThatHangsTogether(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("friends.txt");
        PackageFriends.write(file);
        Map<Integer, Integer> friends = new HashMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] pair = line.split(" ", -1);
            int one = Math.min(Integer.parseInt(pair[0]), Integer.parseInt(pair[1]));
            int other = Math.max(Integer.parseInt(pair[0]), Integer.parseInt(pair[1]));
            friends.merge(other, one, Math::min);
        }
        // Each of the first thousand has a friend before it.
        for (int number = 1; number < 1_000; number++) {
            assertThat(friends.get(number))
                    .as("a friend of %d", number)
                    .isNotNull()
                    .isLessThan(number);
        }
    }

    @Test
    void of_aRound_hasWhatTheFormatSays() throws Exception {
        ServerReady ready = new ServerReady("127.0.0.1:1", "7.0", List.of(1L), List.of());
        RunningStore store = new RunningStore(StoreChoice.REDIS, ready, () -> {});
        try (JsonProcess client = JsonProcessTest.shell("cat")) {
            var line = Json.parse(
                    "a line",
                    CompareLine.of(
                            new Contestant(store, client),
                            plan(List.of("redis"), List.of("ycsb-a"), List.of(10), "0"),
                            new CaseRequest("ycsb-a", false, 10, 8, 1, 400, 5),
                            1_000,
                            2,
                            result(20)));
            assertThat(line.get("kind").asText()).isEqualTo("compare");
            assertThat(line.get("store").asText()).isEqualTo("redis");
            assertThat(line.get("version").asText()).isEqualTo("7.0");
            assertThat(line.get("mode").asText()).isEqualTo("open");
            assertThat(line.get("round").asInt()).isEqualTo(2);
            assertThat(line.get("valueBytes").asInt()).isEqualTo(1_000);
            assertThat(line.get("opsPerSecond").asDouble()).isEqualTo(20);
            assertThat(line.get("p95Micros").asDouble()).isEqualTo(1.5);
            assertThat(line.get("staleReads").asLong()).isZero();
            assertThat(line.get("errors").asLong()).isEqualTo(1);
            assertThat(line.get("serverCpuNanosPerOp").asDouble()).isEqualTo(900);
            assertThat(line.get("machine").asText()).contains("cores");
        }
    }
}
