package dev.granary.memory;

/** No free block is large enough: delete chunks, spread them over more peers, or give this peer more memory. */
public final class OutOfChunkMemoryException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    OutOfChunkMemoryException(long sizeBytes, long capacityBytes) {
        super("no free block of " + sizeBytes + " B in a chunk memory of " + capacityBytes
                + " B: delete chunks, spread them over more peers, or give this peer more memory");
    }
}
