package dev.granary.client;

import dev.granary.overlay.Cid;
import org.jspecify.annotations.Nullable;

/** The chunk existed and is lost: its owner ended, and no storage peer had a copy. */
public final class ChunkLostException extends GranaryException {

    private static final long serialVersionUID = 1L;

    private final long cid;

    public ChunkLostException(long cid) {
        this(cid, null);
    }

    /** @param cause the failure that reported the loss; null when the storage peer reported it */
    public ChunkLostException(long cid, @Nullable Throwable cause) {
        super(
                "chunk " + Cid.toHex(cid) + " is lost: its storage peer restarted and there was no other copy."
                        + " Create it again or restore a backup.",
                cause);
        this.cid = cid;
    }

    public long cid() {
        return cid;
    }
}
