package dev.granary.client.internal;

import dev.granary.overlay.Cid;
import dev.granary.overlay.CidRange;

/** A super-peer has said that a whole range of chunks is lost. */
final class LostRangeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient CidRange range;

    LostRangeException(CidRange range) {
        super(
                "the super-peer of this range says that the chunks " + Cid.toHex(range.startCid()) + " to "
                        + Cid.toHex(range.endCidInclusive()) + " are lost",
                null,
                false,
                false);
        this.range = range;
    }

    CidRange range() {
        return range;
    }
}
