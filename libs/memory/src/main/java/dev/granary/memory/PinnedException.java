package dev.granary.memory;

/** The chunk is pinned: its address and size stay as they are, and it exists, until it is unpinned. */
public final class PinnedException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    /** Says what was refused, for example "cannot be deleted". */
    public PinnedException(long cid, String refused) {
        super("chunk 0x%016x is pinned and %s: unpin it first".formatted(cid, refused));
    }
}
