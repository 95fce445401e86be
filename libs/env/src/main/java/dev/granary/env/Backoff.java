package dev.granary.env;

import java.util.random.RandomGenerator;

/**
 * How long to wait after failures: after the first one so long, after each other one twice as long, up to a limit.
 * Whoever waits counts the failures; nothing changes here.
 *
 * <pre>
 *   failures since a success    0    1        2            3            ...
 *   pause, at most              0    first    2 * first    4 * first    ... limit
 * </pre>
 *
 * @param firstNanos after the first failure, at least 1
 * @param limitNanos after many, at least as long
 */
public record Backoff(long firstNanos, long limitNanos) {

    public Backoff {
        if (firstNanos < 1 || limitNanos < firstNanos) {
            throw new IllegalArgumentException(
                    "pauses begin with " + firstNanos + " ns and end with " + limitNanos + " ns");
        }
    }

    /** The pause after so many failures, the same each time; 0 without any. */
    public long nanos(int failures) {
        if (failures == 0) {
            return 0;
        }
        int doublings = Math.min(failures - 1, Long.numberOfLeadingZeros(firstNanos) - 1);
        return Math.min(firstNanos << doublings, limitNanos);
    }

    /**
     * The pause after so many failures, drawn from its upper half,
     * so that those who failed together do not come together.
     */
    public long nanos(int failures, RandomGenerator random) {
        return upperHalf(nanos(failures), random);
    }

    /** Half of a pause to all of it. */
    public static long upperHalf(long pauseNanos, RandomGenerator random) {
        return pauseNanos / 2 + random.nextLong(pauseNanos / 2 + 1);
    }
}
