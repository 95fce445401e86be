package dev.granary.storage.recover;

import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.Progress;
import dev.granary.net.message.RecoveryMessages.RunRecoveryReply.State;
import dev.granary.overlay.BackupZone;
import dev.granary.overlay.Nid;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recoveries of this peer from the first that begins until none runs: two log lines, however many zones there are
 * (ADR 0358). Not thread-safe.
 */
final class RecoveryRound {

    private static final Logger LOG = LoggerFactory.getLogger(RecoveryRound.class);

    private boolean running;
    private long beganNanos;
    private int zones;
    private int failed;
    private long chunks;
    private long bytes;
    private int slowestZone;
    private long slowestNanos;

    /**
     * Recoveries begin.
     *
     * @param begun those of one order; others of the same round may follow
     */
    void began(List<ZoneRecovery> begun, long nowNanos) {
        if (running || begun.isEmpty()) {
            return;
        }
        running = true;
        beganNanos = nowNanos;
        zones = 0;
        failed = 0;
        chunks = 0;
        bytes = 0;
        slowestZone = 0;
        slowestNanos = -1;
        Set<String> owners = new TreeSet<>();
        begun.forEach(recovery -> owners.add(Nid.toHex(recovery.formerOwner())));
        long known = begun.stream()
                .mapToLong(ZoneRecovery::copyBytes)
                .filter(size -> size != ZoneRecovery.UNKNOWN_BYTES)
                .sum();
        LOG.atInfo()
                .addKeyValue("zones", begun.size())
                .addKeyValue("bytes", known)
                .addKeyValue("formerOwnerNids", owners)
                .log("this storage peer begins to recover zones, and others may follow");
    }

    /** A recovery has ended, with success or without. */
    void ended(Progress outcome, long nanos) {
        zones++;
        chunks += outcome.chunks();
        bytes += outcome.bytes();
        failed += outcome.state() == State.DONE ? 0 : 1;
        if (nanos > slowestNanos) {
            slowestNanos = nanos;
            slowestZone = outcome.zone();
        }
    }

    /** No recovery runs. */
    void idle(long nowNanos) {
        if (!running) {
            return;
        }
        running = false;
        LOG.atInfo()
                .addKeyValue("zones", zones)
                .addKeyValue("failedZones", failed)
                .addKeyValue("chunks", chunks)
                .addKeyValue("bytes", bytes)
                .addKeyValue("tookMillis", TimeUnit.NANOSECONDS.toMillis(nowNanos - beganNanos))
                .addKeyValue("slowestZone", BackupZone.nameOf(slowestZone))
                .addKeyValue("slowestMillis", TimeUnit.NANOSECONDS.toMillis(slowestNanos))
                .log("this storage peer has recovered zones and owns those that have not failed");
    }
}
