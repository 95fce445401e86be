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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link ComparePlan}, and what lines and tables say of it. */
class ComparePlanTest {

    private static ComparePlan plan(List<String> stores, List<String> workloads, List<Integer> batches, String cpus) {
        return new ComparePlan(stores, workloads, 20_000, 8, batches, 2, 400, 3, 4, 50, cpus, "1");
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
        return new Contestant.Result(new CaseFigures(10, 1, "gone", 5, 1, 2, 3, 4), opsPerSecond, 700, 900);
    }

    @Test
    void median_ofThreeRounds_isTheMiddleOne() {
        List<Contestant.Result> rounds = List.of(result(30), result(10), result(20));
        assertThat(CaseTable.medianOpsPerSecond(rounds)).isEqualTo(20);
        CaseRequest request = new CaseRequest("ycsb-a", false, 10, 8, 1, 400, 0);
        assertThat(new CaseTable(request, Map.of("redis", rounds)).print())
                .contains("ycsb-a", "closed", "redis", " 20 ", " 3\n");
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
            assertThat(line.get("errors").asLong()).isEqualTo(1);
            assertThat(line.get("serverCpuNanosPerOp").asDouble()).isEqualTo(900);
            assertThat(line.get("machine").asText()).contains("cores");
        }
    }
}
