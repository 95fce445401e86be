package dev.granary.memory;

/** An operation of a {@link ChunkMemory} was refused. The store is as it was before. */
public abstract sealed class ChunkMemoryException extends RuntimeException
        permits ForeignCidException,
                InvalidDumpException,
                InvalidSizeException,
                LidsExhaustedException,
                LockInterruptedException,
                LockTimeoutException,
                NotLockedException,
                NotPinnedException,
                OutOfChunkMemoryException,
                PinnedException,
                ReadOnlyException,
                ReservationException,
                SizeMismatchException {

    private static final long serialVersionUID = 1L;

    ChunkMemoryException(String message) {
        super(message);
    }
}
