package dev.granary.memory;

/** A dump cannot be loaded: it is damaged, of another version, or does not suit the configuration. */
public final class InvalidDumpException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public InvalidDumpException(String message) {
        super(message);
    }
}
