package dev.granary.client;

import dev.granary.overlay.Cid;

/** There is no chunk with this CID: it never existed or was deleted. */
public final class ChunkNotFoundException extends GranaryException {

    private static final long serialVersionUID = 1L;

    private final long cid;

    public ChunkNotFoundException(long cid) {
        super("chunk " + Cid.toHex(cid) + " does not exist: it was deleted, or no create has given this CID");
        this.cid = cid;
    }

    public long cid() {
        return cid;
    }
}
