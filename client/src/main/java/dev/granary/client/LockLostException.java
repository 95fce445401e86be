package dev.granary.client;

import dev.granary.overlay.Cid;

/** The lock of a chunk has ended: its lease was not renewed in time, and another client may hold the lock now. */
public final class LockLostException extends GranaryException {

    private static final long serialVersionUID = 1L;

    private final long cid;

    public LockLostException(long cid) {
        super("the lock of chunk " + Cid.toHex(cid) + " is lost: its lease has ended, and it may have passed on."
                + " Lock it again, read the chunk and repeat the change; renew more often than once a lease.");
        this.cid = cid;
    }

    public long cid() {
        return cid;
    }
}
