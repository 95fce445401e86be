package dev.granary.memory;

/** A lock was to be given back that nobody holds. */
public final class NotLockedException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public NotLockedException(long cid, LockMode mode) {
        super("nobody holds a %s lock on chunk 0x%016x".formatted(mode, cid));
    }
}
