package dev.granary.superpeer.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TurnsTest {

    private final Turns turns = new Turns();

    @Test
    void pauseNanos_manyComeAtOnce_eachIsToComeAfterTheOneBefore() {
        long before = 0;
        for (int i = 0; i < 10_000; i++) {
            long pauseNanos = turns.pauseNanos(1_000);
            assertThat(pauseNanos).isGreaterThan(before);
            before = pauseNanos;
        }
        assertThat(before).isEqualTo(Turns.MIN_PAUSE_NANOS + 9_999 * Turns.TURN_NANOS);
    }

    @Test
    void pauseNanos_moreThanCanComeInTime_nobodyWaitsForEver() {
        for (int i = 0; i < 200_000; i++) {
            assertThat(turns.pauseNanos(0)).isLessThanOrEqualTo(Turns.MAX_PAUSE_NANOS);
        }
    }

    @Test
    void pauseNanos_fewCome_theShortestOne() {
        for (int i = 0; i < 10; i++) {
            assertThat(turns.pauseNanos(2L * i * Turns.TURN_NANOS)).isEqualTo(Turns.MIN_PAUSE_NANOS);
        }
    }
}
