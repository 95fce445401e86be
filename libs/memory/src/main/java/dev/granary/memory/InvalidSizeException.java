package dev.granary.memory;

/** A chunk cannot have this size. */
public final class InvalidSizeException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public InvalidSizeException(int sizeBytes) {
        super("a chunk has 0 to " + ChunkMemory.MAX_SIZE_BYTES + " B, not " + sizeBytes);
    }
}
