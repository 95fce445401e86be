package dev.granary.bench.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** {@link HitRatios}, and the caches that it compares: {@link IndexCache} and others. */
class HitRatiosTest {

    @Test
    void run_productionWorkload_ordersThePolicies() {
        Map<String, Double> still = new HitRatios("graph_cache_leader_fbobj", 20_000, 200_000, 0).run(30);
        assertThat(still.values()).allSatisfy(ratio -> assertThat(ratio).isBetween(0.1, 0.9));
        assertThat(ratio(still, "SIEVE")).isGreaterThan(ratio(still, "LRU") + 0.05);
        assertThat(ratio(still, "index")).isGreaterThan(ratio(still, "LRU") + 0.05);
        assertThat(ratio(still, "Redis LRU")).isBetween(ratio(still, "LRU") - 0.02, ratio(still, "LRU") + 0.02);

        Map<String, Double> churning = new HitRatios("graph_cache_leader_fbobj", 20_000, 200_000, 10).run(30);
        assertThat(ratio(churning, "index")).isGreaterThan(ratio(churning, "no ghosts"));
    }

    @Test
    void draw_popularity_givesEveryRankThatThereIs() {
        SplittableRandom random = new SplittableRandom(1);
        Popularity popularity = Popularity.load("kvcache_reg", 1_000, random);
        assertThat(popularity.objects()).isBetween(900, 1_100);
        assertThat(popularity.oneHits()).isBetween(0.01, 0.02);
        for (int i = 0; i < 10_000; i++) {
            assertThat(popularity.draw(random)).isBetween(0, popularity.objects() - 1);
        }
    }

    private static double ratio(Map<String, Double> ratios, String policy) {
        return Objects.requireNonNull(ratios.get(policy), policy);
    }
}
