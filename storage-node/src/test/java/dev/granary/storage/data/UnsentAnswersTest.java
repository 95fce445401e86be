package dev.granary.storage.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnsentAnswersTest {

    private static final long MILLI = 1_000_000;

    /** The origin of a monotonic clock is arbitrary: it may show any number. */
    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -(1L << 60), 0, 1L << 60, Long.MAX_VALUE})
    void areTooMany_whateverTheClockShows_isSeenAtOnceAndThenEveryTwoMilliseconds(long startNanos) {
        AtomicLong unsentBytes = new AtomicLong(1_001);
        UnsentAnswers unsent = new UnsentAnswers(unsentBytes::get, 1_000, startNanos);
        assertThat(unsent.areTooMany(startNanos)).isTrue();
        unsentBytes.set(1_000);
        assertThat(unsent.areTooMany(startNanos + MILLI))
                .as("looked at a moment ago")
                .isTrue();
        assertThat(unsent.areTooMany(startNanos + 2 * MILLI)).isFalse();
        unsentBytes.set(1_001);
        assertThat(unsent.areTooMany(startNanos + 3 * MILLI)).isFalse();
        assertThat(unsent.areTooMany(startNanos + 4 * MILLI)).isTrue();
    }
}
