package dev.granary.memory;

import dev.granary.memory.paged.Cleaner;

/**
 * When a {@link Cleaner} defragments.
 *
 * @param threshold how much of the memory in use must be free but scattered, as a share
 * @param idleThreshold the same when nothing was created, deleted or resized since it looked last
 * @param intervalNanos how long it waits before it looks again
 * @param stepBytes about how much it moves at a time
 * @param pauseNanos how long it rests between two steps
 */
public record CleanerConfig(
        double threshold, double idleThreshold, long intervalNanos, long stepBytes, long pauseNanos) {

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one of the numbers is out of its range
     */
    public CleanerConfig {
        check("threshold", threshold);
        check("idleThreshold", idleThreshold);
        if (intervalNanos < 1 || pauseNanos < 0 || stepBytes < 1) {
            throw new IllegalArgumentException("interval and step must be positive, the pause not negative: "
                    + intervalNanos + ", " + stepBytes + ", " + pauseNanos);
        }
    }

    /** A fifth scattered, a 32nd part when idle; looks each second; steps of 1 MiB (some 200 microseconds). */
    public static CleanerConfig defaults() {
        return new CleanerConfig(0.2, 1.0 / 32, NANOS_PER_SECOND, 1 << 20, NANOS_PER_SECOND / 1000);
    }

    private static void check(String name, double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException(name + " is " + share + ", allowed are 0 to 1");
        }
    }
}
