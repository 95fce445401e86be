package dev.granary.tools.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.bench.memory.BadOptionException;
import dev.granary.cli.base.UserException;
import dev.granary.tools.bench.redis.RedisBenchmark.Found;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link RedisPlan}, and what is read from elsewhere: {@link RedisBenchmark}. */
class RedisPlanTest {

    private static RedisPlan plan(long keys, int keyBytes, List<Integer> pipelines, List<String> stores) {
        return new RedisPlan(keys, keyBytes, 16, 128, 50, pipelines, 5, 0, 10, stores, List.of(1, 3), RedisPlan.CASES);
    }

    @Test
    void ofJson_ofAPlan_isTheSame() {
        RedisPlan plan = plan(10_000_000, 16, List.of(1, 16, 64), StoreKind.names());
        plan.check();
        assertThat(RedisPlan.ofJson(plan.toJson())).isEqualTo(plan);
        assertThat(plan.dataBytes()).isEqualTo(880_000_000);
        assertThat(plan.valueRange()).isEqualTo("16-128");
    }

    @Test
    void check_keysTooShortForTheirNumber_saysWhatToDo() {
        plan(32_768, 4, List.of(1), List.of("granary")).check();
        assertThatThrownBy(() -> plan(32_769, 4, List.of(1), List.of("granary")).check())
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("--key-bytes 4 are too few for 32,769 keys");
    }

    @Test
    void check_namesThatAreUnknownOrTwice_areRefused() {
        assertThatThrownBy(() ->
                        plan(2_000, 16, List.of(1), List.of("granary", "etcd")).check())
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("granary, redis, valkey, memcached, not 'etcd'");
        assertThatThrownBy(
                        () -> plan(2_000, 16, List.of(4, 4), List.of("granary")).check())
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("--pipeline");
        assertThatThrownBy(() ->
                        plan(2_000, 16, List.of(10_001), List.of("granary")).check())
                .isInstanceOf(BadOptionException.class);
        assertThatThrownBy(() -> plan(1_999, 16, List.of(1), List.of("granary")).check())
                .isInstanceOf(BadOptionException.class)
                .hasMessageContaining("--keys is from 2,000");
    }

    @Test
    void parse_linesOfRedisBenchmark_givesRateAndLatencies() {
        List<String> output = List.of(
                "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\",\"p95_latency_ms\","
                        + "\"p99_latency_ms\",\"max_latency_ms\"",
                "\"GET\",\"50000.00\",\"0.450\",\"0.100\",\"0.431\",\"0.607\",\"0.823\",\"9.631\"");
        Found found = RedisBenchmark.parse("get", 100_000, 1_000_000_000, output);
        assertThat(found.perSecond()).isEqualTo(50_000);
        assertThat(found.serverNanosEach()).isEqualTo(10_000);
        assertThat(found.p50Micros()).isEqualTo(431);
        assertThat(found.p99Micros()).isEqualTo(823);
        assertThat(found.plus(new Found(100_000, 8, 0, 500, 600)))
                .isEqualTo(new Found(200_000, 10, 1_000_000_000, 500, 823));
        assertThatThrownBy(() -> RedisBenchmark.parse("set", 1, 1, output))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("printed no result");
    }

    @Test
    void besideSince_moreKeys_countsGrowthBesideTheirData() {
        MemoryFigures before = new MemoryFigures(1_000, 88_000, 10_000_000, 0, 1_000_000);
        MemoryFigures now = new MemoryFigures(11_000, 968_000, 10_980_000, 0, 1_940_000);
        assertThat(now.besideSince(before)).isEqualTo(10);
        assertThat(now.ownBesideSince(before)).isEqualTo(6);
    }
}
