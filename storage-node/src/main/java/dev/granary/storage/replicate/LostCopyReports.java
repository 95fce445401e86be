package dev.granary.storage.replicate;

import dev.granary.env.Loop;
import dev.granary.net.message.MessageType;
import dev.granary.net.message.ZoneMessages.LostCopy;
import dev.granary.net.message.ZoneMessages.ReportLostCopies;
import dev.granary.overlay.Placement;
import dev.granary.storage.lease.ArcCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the arcs each second of members that have lost their copies and stay members, because without them the zone is
 * below its floor. A backup whose log has failed begins another one in the same incarnation, so the arc cannot know
 * that the copy must be filled again (ADR 0369).
 *
 * <p>Runs as tasks of the scheduler.
 */
final class LostCopyReports {

    static final long PERIOD_NANOS = 1_000_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(LostCopyReports.class);

    private final BackupCalls calls;
    private final ArcCalls arcs;
    private final OwnedZones zones;
    private final MemberChanges changes;
    private final Loop rounds;

    LostCopyReports(BackupCalls calls, ArcCalls arcs, OwnedZones zones, MemberChanges changes) {
        this.calls = calls;
        this.arcs = arcs;
        this.zones = zones;
        this.changes = changes;
        // Without this loop a zone whose only backup has lost its log would take no writes any more.
        this.rounds = Loop.every(calls.scheduler(), "lost-copy-reports", PERIOD_NANOS, this::round)
                .vital();
    }

    void begin() {
        rounds.beginAfter(PERIOD_NANOS);
    }

    void stop() {
        rounds.stop();
    }

    private void round() {
        Map<Integer, List<LostCopy>> byCreator = new TreeMap<>();
        for (OwnedZone zone : zones.all()) {
            // While a change is asked the members that can be dropped are about to go.
            if (zone.isBelowFloor() && !changes.isAsking(zone)) {
                List<LostCopy> lost = lostCopies(zone);
                if (!lost.isEmpty()) {
                    byCreator
                            .computeIfAbsent(zone.id() >>> 15, creator -> new ArrayList<>())
                            .addAll(lost);
                }
            }
        }
        byCreator.forEach(this::tell);
    }

    /** Returns the members without a copy of use here: it is lost, or is being filled in its place. */
    private static List<LostCopy> lostCopies(OwnedZone zone) {
        List<LostCopy> lost = new ArrayList<>();
        zone.lock();
        try {
            Placement placement = zone.placement();
            for (int nid : placement.backups()) {
                ZoneCopy copy = zone.copyOn(nid);
                if (copy == null || !copy.isMember() || copy.isLost()) {
                    lost.add(new LostCopy(zone.id(), placement.epoch(), nid));
                }
            }
        } finally {
            zone.unlock();
        }
        return lost;
    }

    /** Tells an arc. If it does not answer, the next round tells it again. */
    private void tell(int creatorNid, List<LostCopy> lost) {
        List<LostCopy> part = lost.subList(0, Math.min(lost.size(), ReportLostCopies.MAX_COPIES));
        ReportLostCopies report = new ReportLostCopies(creatorNid, calls.nid(), changes.ownerEpoch(), part);
        arcs.callArc(
                creatorNid,
                MessageType.REPORT_LOST_COPIES,
                report,
                done -> {},
                failure -> LOG.debug("lost copies are not told yet: {}", failure.getMessage()));
    }
}
