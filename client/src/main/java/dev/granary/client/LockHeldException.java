package dev.granary.client;

import dev.granary.overlay.Cid;

/** Another client holds the lock of a chunk, and did not give it back for as long as the caller wanted to wait. */
public final class LockHeldException extends GranaryException {

    private static final long serialVersionUID = 1L;

    private final long cid;

    public LockHeldException(long cid, long remainingNanos) {
        super("a lock failed: another one holds the lock of chunk " + Cid.toHex(cid) + ", for "
                + remainingNanos / 1_000_000 + " ms more unless it renews. Wait longer, or try again then.");
        this.cid = cid;
    }

    public long cid() {
        return cid;
    }
}
