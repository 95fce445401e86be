package dev.granary.memory;

/** The thread was interrupted while it waited for a chunk's lock. Its interrupt flag is set. */
public final class LockInterruptedException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public LockInterruptedException(long cid, LockMode mode) {
        super("interrupted while waiting for the %s lock on chunk 0x%016x".formatted(mode, cid));
    }
}
