package dev.granary.memory;

/** No free block is large enough: delete chunks, spread them over more peers, or give this peer more memory. */
public final class OutOfChunkMemoryException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    private final boolean passing;

    /** For whatever is a {@link ChunkMemory}. */
    public OutOfChunkMemoryException(long sizeBytes, long capacityBytes) {
        this(sizeBytes, capacityBytes, false);
    }

    /**
     * For whatever is a {@link ChunkMemory}.
     *
     * @param passing whether there may be room in a moment
     */
    public OutOfChunkMemoryException(long sizeBytes, long capacityBytes, boolean passing) {
        super("no free block of " + sizeBytes + " B in a chunk memory of " + capacityBytes + " B: "
                + (passing
                        ? "what is free is being put together, try again in a moment"
                        : "delete chunks, spread them over more peers, or give this peer more memory"));
        this.passing = passing;
    }

    /** Whether there may be room in a moment: free memory is being put together ({@link ChunkMemory#limitReclaim}). */
    public boolean isPassing() {
        return passing;
    }
}
