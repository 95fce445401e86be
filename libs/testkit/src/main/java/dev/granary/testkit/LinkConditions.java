package dev.granary.testkit;

/**
 * How the network between two nodes behaves in one direction.
 *
 * @param minLatencyNanos shortest time that a frame travels
 * @param maxLatencyNanos longest time, without stalls
 * @param stallProbability of each frame to be lost and sent again, which holds up all behind it
 * @param stallNanos how long that takes
 * @param resetProbability of each frame to end its connection
 */
public record LinkConditions(
        long minLatencyNanos, long maxLatencyNanos, double stallProbability, long stallNanos, double resetProbability) {

    /** A good network: 50 to 300 microseconds, nothing lost. */
    public static final LinkConditions GOOD = new LinkConditions(50_000, 300_000, 0, 0, 0);

    /** A bad one: up to 5 ms, one of 100 frames held up for 200 ms, one of 2,000 ends its connection. */
    public static final LinkConditions BAD = new LinkConditions(50_000, 5_000_000, 0.01, 200_000_000, 0.0005);

    public LinkConditions {
        if (minLatencyNanos < 1 || maxLatencyNanos <= minLatencyNanos) {
            throw new IllegalArgumentException(
                    "latencies of " + minLatencyNanos + " to " + maxLatencyNanos + " ns are no range");
        }
    }
}
