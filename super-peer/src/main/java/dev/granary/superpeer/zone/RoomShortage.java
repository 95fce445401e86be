package dev.granary.superpeer.zone;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The zones of an arc for which no storage peer has room: one log line each half minute while there are some. The note
 * of each recovery says how much is missing. Not thread-safe.
 */
final class RoomShortage {

    private static final Logger LOG = LoggerFactory.getLogger(RoomShortage.class);

    private static final long SAY_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private int zones;
    private long largestBytes;
    private boolean said;
    private long saidNanos;

    /** Notes in this round that nobody has room for a zone, of which about so many bytes are to be recovered. */
    void lacks(long bytes) {
        zones++;
        largestBytes = Math.max(largestBytes, bytes);
    }

    /** Ends a round. */
    void tell(long nowNanos) {
        if (zones > 0 && (!said || nowNanos - saidNanos >= SAY_AGAIN_NANOS)) {
            said = true;
            saidNanos = nowNanos;
            LOG.atWarn()
                    .addKeyValue("zones", zones)
                    .addKeyValue("wantedBytes", largestBytes)
                    .log("zones have no owner, as no storage peer has room for one of them as a whole; add memory or"
                            + " a storage peer");
        }
        zones = 0;
        largestBytes = 0;
    }
}
