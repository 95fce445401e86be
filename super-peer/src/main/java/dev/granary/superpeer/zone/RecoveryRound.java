package dev.granary.superpeer.zone;

import dev.granary.net.message.RecoveryMessages.Recovered;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recoveries of an arc from the moment at which zones have no owner until all have one: two log lines, however many
 * zones there are (ADR 0358). Not thread-safe.
 */
final class RecoveryRound {

    private static final Logger LOG = LoggerFactory.getLogger(RecoveryRound.class);

    private boolean running;
    private long beganNanos;
    private long endNanos;
    private int recovered;
    private long chunks;
    private long bytes;
    private int slowestZone;
    private long slowestNanos;

    /**
     * Looks how many zones have no owner, and tells when the first of them lose theirs and the last get one.
     *
     * @param zones that have no owner
     */
    void look(List<ZoneRecord> zones, long nowNanos) {
        if (!running && !zones.isEmpty()) {
            running = true;
            beganNanos = nowNanos;
            endNanos = nowNanos;
            recovered = 0;
            chunks = 0;
            bytes = 0;
            slowestZone = 0;
            slowestNanos = -1;
            LOG.atInfo()
                    .addKeyValue("zones", zones.size())
                    .addKeyValue("firstZone", BackupZone.nameOf(zones.getFirst().id()))
                    .log("zones have lost their owner and are being recovered");
        } else if (running && zones.isEmpty()) {
            running = false;
            LOG.atInfo()
                    .addKeyValue("zones", recovered)
                    .addKeyValue("chunks", chunks)
                    .addKeyValue("bytes", bytes)
                    .addKeyValue("tookMillis", TimeUnit.NANOSECONDS.toMillis(endNanos - beganNanos))
                    .addKeyValue("slowestZone", slowestZone == 0 ? "" : BackupZone.nameOf(slowestZone))
                    .addKeyValue("slowestMillis", TimeUnit.NANOSECONDS.toMillis(Math.max(0, slowestNanos)))
                    .log("no zone is being recovered any more");
        }
    }

    /**
     * A zone has an owner.
     *
     * @param nanos how long it had none, as far as this super-peer knows
     */
    void recovered(Recovered done, long nowNanos, long nanos) {
        recovered++;
        endNanos = nowNanos;
        chunks += done.chunks();
        bytes += done.bytes();
        if (nanos > slowestNanos) {
            slowestNanos = nanos;
            slowestZone = done.zone();
        }
        // What could not be read is gone: that has a line for each zone.
        (done.damaged() ? LOG.atWarn() : LOG.atDebug())
                .addKeyValue("zone", BackupZone.nameOf(done.zone()))
                .addKeyValue("ownerNid", Nid.toHex(done.nid()))
                .addKeyValue("chunks", done.chunks())
                .addKeyValue("bytes", done.bytes())
                .addKeyValue("damaged", done.damaged())
                .log("a zone is recovered");
    }
}
