package dev.granary.bench.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ZipfTest {

    private static final long SEED = 42;

    @Test
    void zeta_beyondTheExactTerms_asTheSum() {
        double sum = 0;
        for (int i = 1; i <= 1_000_000; i++) {
            sum += Math.pow(i, -Zipf.SKEW);
        }
        assertThat(Zipf.zeta(1_000_000)).isCloseTo(sum, within(1e-7));
    }

    @Test
    void ranks_manyDrawn_asOftenAsTheDistributionSays() {
        int objects = 1_000;
        int draws = 1_000_000;
        Zipf zipf = new Zipf(objects, new SplittableRandom(SEED));
        int[] counts = new int[objects];
        for (int i = 0; i < draws; i++) {
            counts[(int) zipf.nextRank()]++;
        }
        double zeta = Zipf.zeta(objects);
        // The method gives the first two exactly, the others approximately.
        assertThat(counts[0] / (double) draws).isCloseTo(1 / zeta, within(0.005));
        assertThat(counts[1] / (double) draws).isCloseTo(Math.pow(2, -Zipf.SKEW) / zeta, within(0.005));
        double firstTenth = 0;
        double expected = 0;
        for (int i = 0; i < objects / 10; i++) {
            firstTenth += counts[i] / (double) draws;
            expected += Math.pow(i + 1, -Zipf.SKEW) / zeta;
        }
        assertThat(firstTenth).isCloseTo(expected, within(0.02));
        assertThat(counts[objects - 1]).isLessThan(counts[0] / 100);
    }

    @Test
    void objects_allRanks_spreadOneToOne() {
        int objects = 100_000;
        Zipf zipf = new Zipf(objects, new SplittableRandom(SEED));
        BitSet seen = new BitSet();
        for (int i = 0; i < 100_000; i++) {
            long object = zipf.nextObject();
            assertThat(object).isBetween(0L, objects - 1L);
            seen.set((int) object);
        }
        // More than half of the objects are drawn at least once only if ranks do not collide.
        assertThat(seen.cardinality()).isGreaterThan(20_000);
    }

    @Test
    void objects_fewOrMany_inBounds() {
        for (long count : new long[] {1, 2, 3, 1_000_000_000}) {
            Zipf zipf = new Zipf(count, new SplittableRandom(SEED));
            for (int i = 0; i < 1_000; i++) {
                assertThat(zipf.nextObject()).isBetween(0L, count - 1);
            }
        }
    }
}
