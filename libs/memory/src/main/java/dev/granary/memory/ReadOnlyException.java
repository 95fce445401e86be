package dev.granary.memory;

/** The chunk is read-only: its bytes and its size stay as they are. */
public final class ReadOnlyException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    /** Says what was refused, for example "cannot be resized". */
    public ReadOnlyException(long cid, String refused) {
        super("chunk 0x%016x is read-only and %s".formatted(cid, refused));
    }
}
