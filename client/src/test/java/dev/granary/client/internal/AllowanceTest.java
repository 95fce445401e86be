package dev.granary.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AllowanceTest {

    private static final long PERIOD = 1_000_000;

    @Test
    void take_allTheTime_someAtOnceAndThenOnceInAPeriod() {
        Allowance allowance = new Allowance(3, 7);
        int taken = 0;
        for (long now = 0; now <= 100 * PERIOD; now += PERIOD / 100) {
            taken += allowance.take(now, PERIOD) ? 1 : 0;
            assertThat(taken).isLessThanOrEqualTo((int) (3 + 2 * now / PERIOD + 1));
        }
        assertThat(taken).isBetween(85, 120);
    }

    @Test
    void take_afterALongTimeWithout_notMoreThanSomeAtOnce() {
        Allowance allowance = new Allowance(2, 7);
        allowance.take(0, PERIOD);
        long later = 1000 * PERIOD;
        int taken = 0;
        for (int i = 0; i < 100; i++) {
            taken += allowance.take(later, PERIOD) ? 1 : 0;
        }
        assertThat(taken).isBetween(2, 3);
    }

    @Test
    void take_manyClientsThatBeganTogether_comeAtDifferentTimes() {
        Set<Long> times = new HashSet<>();
        for (int client = 0; client < 100; client++) {
            Allowance allowance = new Allowance(1, client);
            allowance.take(0, PERIOD);
            long now = 0;
            while (!allowance.take(now, PERIOD)) {
                now += PERIOD / 1000;
            }
            times.add(now);
        }
        assertThat(times).hasSizeGreaterThan(80);
    }
}
