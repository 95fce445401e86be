package dev.granary.storage.recover;

/**
 * How much a replay collects before it puts that into memory. Larger windows are faster up to {@link #usual}.
 *
 * @param maxBytes bytes of chunks, outside the heap; a single chunk may be larger
 * @param maxChunks number of chunks, at least 1; each takes {@link #BYTES_PER_CHUNK} of the heap
 */
public record WindowBounds(int maxBytes, int maxChunks) {

    /** The heap bytes of a chunk in the tables of a window, including what the tables need to grow. */
    public static final int BYTES_PER_CHUNK = 56;

    /** How many zones are replayed at the same time at most, each with its own window. */
    public static final int WINDOWS = 2;

    private static final int USUAL_BYTES = 64 << 20;

    /** Returns bounds above which a replay does not get faster. */
    public static WindowBounds usual() {
        return new WindowBounds(USUAL_BYTES, ReplayWindow.MAX_CHUNKS);
    }
}
