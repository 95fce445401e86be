package dev.granary.env;

import java.util.random.RandomGenerator;

/**
 * How long to wait after failures: {@code firstNanos} after the first, twice as long after each further one, up to
 * {@code limitNanos}. The caller counts the failures; this record is immutable.
 *
 * <pre>
 *   failures since a success    0    1        2            3            ...
 *   pause, at most              0    first    2 * first    4 * first    ... limit
 * </pre>
 *
 * @param firstNanos the pause after the first failure, at least 1
 * @param limitNanos the longest pause, at least {@code firstNanos}
 */
public record Backoff(long firstNanos, long limitNanos) {

    public Backoff {
        if (firstNanos < 1 || limitNanos < firstNanos) {
            throw new IllegalArgumentException(
                    "pauses begin with " + firstNanos + " ns and end with " + limitNanos + " ns");
        }
    }

    /** Returns the pause after a number of failures, without a random part; 0 after no failure. */
    public long nanos(int failures) {
        if (failures == 0) {
            return 0;
        }
        int doublings = Math.min(failures - 1, Long.numberOfLeadingZeros(firstNanos) - 1);
        return Math.min(firstNanos << doublings, limitNanos);
    }

    /**
     * Returns a random pause between half of {@link #nanos(int)} and all of it, so that processes that failed at the
     * same time do not try again at the same time.
     */
    public long nanos(int failures, RandomGenerator random) {
        return upperHalf(nanos(failures), random);
    }

    /** Returns a random pause between half of {@code pauseNanos} and all of it. */
    public static long upperHalf(long pauseNanos, RandomGenerator random) {
        return pauseNanos / 2 + random.nextLong(pauseNanos / 2 + 1);
    }
}
