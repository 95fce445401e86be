package dev.granary.simulation.big;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BigSimulationTest {

    private static final BigPlan PLAN = new BigPlan(1, 20, 400, 8_000, 20, 30);

    @Test
    void run_growsAndShrinks_everyRangeAndAnswerIsRight() {
        BigResult result = BigSimulation.run(PLAN, sample -> {});
        assertThat(result.violation()).isEmpty();
        assertThat(result.counts()).containsEntry("promotions", 17L).containsEntry("demotions", 2L);
        assertThat(result.counts().get("deaths")).isPositive();
        assertThat(result.counts().get("redirects")).isPositive();
        assertThat(result.counts().get("retriesWhileSealed")).isPositive();
        assertThat(result.counts().get("answeredByCache")).isPositive();
        BigSample last = result.samples().getLast();
        assertThat(last.superPeers()).isEqualTo(18);
        assertThat(last.imbalance()).isLessThanOrEqualTo(2);
        assertThat(last.ranges().average()).isEqualTo(8_000 / 18.0);
        assertThat(last.metadataBytes().least())
                .isGreaterThan(10 * last.ranges().least());
    }

    @Test
    void run_samePlan_isTheSameEventByEvent() {
        List<Long> hashes = List.of(1L, 1L, 2L).stream()
                .map(seed -> BigSimulation.run(new BigPlan(seed, 5, 40, 400, 4, 10), sample -> {}))
                .map(BigResult::traceHash)
                .toList();
        assertThat(hashes.get(0)).isEqualTo(hashes.get(1)).isNotEqualTo(hashes.get(2));
    }

    @Test
    void run_fasterThanTheRingCanGrow_saysSo() {
        BigResult result = BigSimulation.run(new BigPlan(1, 2_000, 4_000, 4_000, 1, 10), sample -> {});
        assertThat(result.violation().orElseThrow()).contains("too slow");
    }
}
