package dev.granary.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.granary.process.MemoryPlan.Area;
import dev.granary.process.MemoryPlan.Limits;
import dev.granary.process.MemoryPlan.Need;
import io.prometheus.client.CollectorRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryPlanTest {

    private static final long MI = 1 << 20;

    private static final List<Need> NEEDS = List.of(
            new Need("frames", Area.DIRECT, 1, 16 * MI, 64 * MI),
            new Need("batches", Area.DIRECT, 3, 8 * MI, 1024 * MI),
            new Need("answers", Area.HEAP, 1, 4 * MI, 8 * MI));

    @Test
    void of_enough_sharesByWeightAboveTheMinimum() {
        MemoryPlan plan = MemoryPlan.of(new Limits(64 * MI, 96 * MI), NEEDS);

        // 64 less an eighth are 56, less the minima 32: a quarter and three quarters of them.
        assertThat(plan.bytes("frames")).isEqualTo(24 * MI);
        assertThat(plan.bytes("batches")).isEqualTo(32 * MI);
        assertThat(plan.bytes("answers")).isEqualTo(8 * MI);
    }

    @Test
    void of_moreThanOneNeeds_theOthersHaveIt() {
        MemoryPlan plan = MemoryPlan.of(new Limits(800 * MI, 96 * MI), NEEDS);

        assertThat(plan.bytes("frames")).isEqualTo(64 * MI);
        assertThat(plan.bytes("batches")).isEqualTo(636 * MI);
    }

    @Test
    void of_anyLimits_neverExceedsThem() {
        for (long direct = 28; direct < 5000; direct += 13) {
            MemoryPlan plan = MemoryPlan.of(new Limits(direct * MI, direct * MI), NEEDS);
            long planned = plan.shares().stream()
                    .filter(share -> share.area() == Area.DIRECT)
                    .mapToLong(MemoryPlan.Share::limitBytes)
                    .sum();

            assertThat(planned).isBetween(24 * MI, direct * MI * 7 / 8);
            assertThat(plan.shares()).allSatisfy(share -> {
                Need need = NEEDS.stream()
                        .filter(each -> each.name().equals(share.name()))
                        .findFirst()
                        .orElseThrow();
                assertThat(share.limitBytes()).isBetween(need.minBytes(), need.maxBytes());
            });
        }
    }

    @Test
    void of_tooLittle_saysWhatToChange() {
        assertThatThrownBy(() -> MemoryPlan.of(new Limits(20 * MI, 4 * MI), NEEDS))
                .isInstanceOf(MemoryPlanException.class)
                .hasMessageContaining("20 MiB of direct memory")
                .hasMessageContaining("needs 24 MiB at least: set -XX:MaxDirectMemorySize=28m")
                .hasMessageContaining("4 MiB of Java heap")
                .hasMessageContaining("-Xmx8m");
    }

    @Test
    void limits_ofThisProcess_areThoseOfItsJvm() {
        Limits limits = Limits.ofProcess();

        assertThat(limits.heapBytes()).isEqualTo(Runtime.getRuntime().maxMemory());
        assertThat(limits.directBytes()).isPositive();
    }

    @Test
    void metrics_plan_showEachShareAndWhatIsUsed() {
        CollectorRegistry registry = new CollectorRegistry();
        Map<String, Long> used = new HashMap<>(Map.of("batches", 5L));
        MemoryPlanMetrics.register(registry, MemoryPlan.of(new Limits(64 * MI, 96 * MI), NEEDS), () -> used);
        used.put("batches", 6L);

        assertThat(sample(registry, "granary_memory_plan_limit_bytes", "direct", "batches"))
                .isEqualTo(32.0 * MI);
        assertThat(sample(registry, "granary_memory_plan_limit_bytes", "heap", "answers"))
                .isEqualTo(8.0 * MI);
        assertThat(sample(registry, "granary_memory_plan_used_bytes", "direct", "batches"))
                .isEqualTo(6);
    }

    private static Double sample(CollectorRegistry registry, String name, String area, String share) {
        return registry.getSampleValue(name, new String[] {"area", "share"}, new String[] {area, share});
    }

    @Test
    void write_plan_showsLimitsAndWhatIsUsed() {
        JsonText json = new JsonText().object();
        MemoryPlan.of(new Limits(64 * MI, 96 * MI), NEEDS).write(json, Map.of("batches", 5L));

        assertThat(json.end().toString())
                .contains(
                        "\"memoryPlan\":{\"direct\":{\"limitBytes\":67108864,\"shares\":{\"frames\":{\"limitBytes\":25165824}")
                .contains("\"batches\":{\"limitBytes\":33554432,\"usedBytes\":5}")
                .contains("\"plannedBytes\":58720256}")
                .contains("\"heap\":{\"limitBytes\":100663296,");
    }
}
