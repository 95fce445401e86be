package dev.granary.memory;

/** A chunk was to be unpinned that is not pinned. */
public final class NotPinnedException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public NotPinnedException(long cid) {
        super("chunk 0x%016x is not pinned".formatted(cid));
    }
}
