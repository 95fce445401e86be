package dev.granary.client;

/**
 * How far a read follows what chunks refer to.
 *
 * @param steps how many references lead to a chunk at most, 0 to {@value #MOST_STEPS}; 0 reads the roots alone
 * @param mostChunks the most chunks that the read asks for, roots included; 1 or more
 */
public record Reach(int steps, int mostChunks) {

    /** The most steps. */
    public static final int MOST_STEPS = 1_000;

    /** The most chunks of a read that names no other number. */
    public static final int DEFAULT_MOST_CHUNKS = 100_000;

    public Reach {
        if (steps < 0 || steps > MOST_STEPS) {
            throw new IllegalArgumentException("steps are 0 to " + MOST_STEPS + ", not " + steps);
        }
        if (mostChunks < 1) {
            throw new IllegalArgumentException("the most chunks are 1 or more, not " + mostChunks);
        }
    }

    /** Returns a reach with this number of steps and at most {@value #DEFAULT_MOST_CHUNKS} chunks. */
    public static Reach ofSteps(int steps) {
        return new Reach(steps, DEFAULT_MOST_CHUNKS);
    }

    /** Returns this reach with another bound of chunks. */
    public Reach withMostChunks(int chunks) {
        return new Reach(steps, chunks);
    }
}
