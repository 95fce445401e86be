package dev.granary.storage.recover;

/**
 * How much a replay collects before it puts that into memory. More is faster, up to some point.
 *
 * @param maxBytes of chunks, outside the heap; a single chunk may be larger
 * @param maxChunks how many, at least 1; each takes {@link #BYTES_PER_CHUNK} of the heap
 */
public record WindowBounds(int maxBytes, int maxChunks) {

    /** In the tables of a window, and while these grow. */
    public static final int BYTES_PER_CHUNK = 56;

    /** How many zones are replayed at the same time at most, each with its own window. */
    public static final int WINDOWS = 2;

    private static final int USUAL_BYTES = 64 << 20;

    /** Where more makes nothing faster. */
    public static WindowBounds usual() {
        return new WindowBounds(USUAL_BYTES, ReplayWindow.MAX_CHUNKS);
    }
}
