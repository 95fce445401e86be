package dev.granary.memory;

/** Others held a chunk's lock for longer than the caller wanted to wait. */
public final class LockTimeoutException extends ChunkMemoryException {

    private static final long serialVersionUID = 1L;

    public LockTimeoutException(long cid, LockMode mode, long waitedNanos) {
        super("no %s lock on chunk 0x%016x after %d ns: others hold it".formatted(mode, cid, waitedNanos));
    }
}
