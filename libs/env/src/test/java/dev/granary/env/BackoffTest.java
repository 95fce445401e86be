package dev.granary.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final long SEED = 7;

    private final Backoff backoff = new Backoff(20, 500);

    @Test
    void nanos_oneFailureAfterTheOther_doublesUpToTheLimit() {
        long[] pauses = new long[8];
        for (int failures = 0; failures < pauses.length; failures++) {
            pauses[failures] = backoff.nanos(failures);
        }
        assertThat(pauses).containsExactly(0, 20, 40, 80, 160, 320, 500, 500);
    }

    @Test
    void nanos_moreFailuresThanALongHasBits_staysAtTheLimit() {
        assertThat(backoff.nanos(Integer.MAX_VALUE)).isEqualTo(500);
        assertThat(new Backoff(1L << 61, Long.MAX_VALUE).nanos(Integer.MAX_VALUE))
                .isEqualTo(1L << 62);
    }

    @Test
    void nanos_withChance_fillsTheUpperHalfOfThePause() {
        SplittableRandom random = new SplittableRandom(SEED);
        long[] drawn = random.longs(10_000, 0, 1)
                .map(any -> backoff.nanos(3, random))
                .distinct()
                .sorted()
                .toArray();
        assertThat(drawn).as("seed %d", SEED).hasSize(41).startsWith(40).endsWith(80);
    }

    @Test
    void nanos_withChanceAndNoFailure_isNoPause() {
        assertThat(backoff.nanos(0, new SplittableRandom(SEED))).isZero();
    }

    @Test
    void create_limitBelowTheFirstPause_isRefused() {
        assertThatThrownBy(() -> new Backoff(20, 10)).isInstanceOf(IllegalArgumentException.class);
    }
}
