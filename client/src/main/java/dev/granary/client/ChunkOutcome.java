package dev.granary.client;

import dev.granary.net.message.ChunkStatus;
import dev.granary.overlay.Cid;

/** What became of one chunk of a batch. */
public enum ChunkOutcome {
    OK,
    /** It does not exist. */
    NOT_FOUND,
    /** It existed and is lost, see {@link ChunkLostException}. */
    LOST,
    /** Its owner has no room for the new size; the old content stands. */
    OUT_OF_MEMORY,
    /** The token of the request's lock is older than one that the owner has seen, see {@link LockLostException}. */
    FENCED;

    static ChunkOutcome of(int status) {
        return switch (status) {
            case ChunkStatus.OK -> OK;
            case ChunkStatus.NOT_FOUND -> NOT_FOUND;
            case ChunkStatus.LOST -> LOST;
            case ChunkStatus.OUT_OF_MEMORY -> OUT_OF_MEMORY;
            case ChunkStatus.FENCED -> FENCED;
            default -> throw new GranaryException("a storage peer answered with the unknown chunk status " + status);
        };
    }

    /** What a single operation fails with; not for {@link #OK}. */
    GranaryException failure(long cid) {
        return switch (this) {
            case OK -> throw new IllegalStateException("nothing has failed");
            case NOT_FOUND -> new ChunkNotFoundException(cid);
            case LOST -> new ChunkLostException(cid);
            case FENCED -> new LockLostException(cid);
            case OUT_OF_MEMORY ->
                new StorageFullException("the owner of chunk " + Cid.toHex(cid)
                        + " has no room for its new size; the old content stands. Add storage peers or memory.");
        };
    }
}
