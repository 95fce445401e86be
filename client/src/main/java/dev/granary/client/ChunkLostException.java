package dev.granary.client;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;
import org.jspecify.annotations.Nullable;

/** The chunk existed and is lost: its storage peer ended, and nobody had a copy. */
public final class ChunkLostException extends GranaryException {

    private static final long serialVersionUID = 1L;

    private final long cid;

    /** What a super-peer has said to be lost as a whole; null when it was the storage peer that said it. */
    private final transient @Nullable CidRange range;

    public ChunkLostException(long cid) {
        this(cid, null);
    }

    ChunkLostException(long cid, @Nullable CidRange range) {
        super("chunk " + Cid.toHex(cid) + " is lost: its storage peer restarted and there was no other copy");
        this.cid = cid;
        this.range = range;
    }

    public long cid() {
        return cid;
    }

    @Nullable
    CidRange range() {
        return range;
    }
}
