package dev.granary.client;

import dev.granary.overlay.Cid;

/** The chunk existed and is lost: its storage peer restarted, and this version keeps one copy in RAM. */
public final class ChunkLostException extends GranaryException {

    private static final long serialVersionUID = 1L;

    private final long cid;

    public ChunkLostException(long cid) {
        super("chunk " + Cid.toHex(cid) + " is lost: its storage peer restarted and there was no other copy");
        this.cid = cid;
    }

    public long cid() {
        return cid;
    }
}
