package dev.granary.client.internal;

import dev.granary.client.ChunkLostException;
import dev.granary.client.ChunkNotFoundException;
import dev.granary.client.ChunkOutcome;
import dev.granary.client.GranaryException;
import dev.granary.client.LockLostException;
import dev.granary.client.StorageFullException;
import dev.granary.net.message.ChunkStatus;
import dev.granary.overlay.Cid;

/** Turns answers of storage peers for a chunk into outcomes that applications see. */
final class Outcomes {

    private Outcomes() {}

    static ChunkOutcome of(int status) {
        return switch (status) {
            case ChunkStatus.OK -> ChunkOutcome.OK;
            case ChunkStatus.NOT_FOUND -> ChunkOutcome.NOT_FOUND;
            case ChunkStatus.LOST -> ChunkOutcome.LOST;
            case ChunkStatus.OUT_OF_MEMORY -> ChunkOutcome.OUT_OF_MEMORY;
            case ChunkStatus.FENCED -> ChunkOutcome.FENCED;
            default ->
                throw new GranaryException("a storage peer answered with the chunk status " + status
                        + ", which this client does not know; use a client of the cluster's version");
        };
    }

    /** Returns the failure of a single operation; not for {@link ChunkOutcome#OK}. */
    static GranaryException failure(ChunkOutcome outcome, long cid) {
        return switch (outcome) {
            case OK -> throw new IllegalStateException("nothing has failed");
            case NOT_FOUND -> new ChunkNotFoundException(cid);
            case LOST -> new ChunkLostException(cid);
            case FENCED -> new LockLostException(cid);
            case OUT_OF_MEMORY ->
                new StorageFullException("a put of chunk " + Cid.toHex(cid)
                        + " was refused: its storage peer has no room for the new size; the old content stands."
                        + " Add storage peers or memory, or delete chunks.");
        };
    }
}
