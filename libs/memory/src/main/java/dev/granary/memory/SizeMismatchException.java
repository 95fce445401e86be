package dev.granary.memory;

/** The bytes are not as many as the chunk has, or as the object announced. */
public final class SizeMismatchException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public SizeMismatchException(String what, long expectedBytes, long actualBytes) {
        super(what + " has " + expectedBytes + " B, but " + actualBytes + " B were given");
    }
}
