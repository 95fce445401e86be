package dev.granary.storage.replicate;

import dev.granary.env.Loop;
import dev.granary.env.Scheduler;
import java.util.Set;
import java.util.TreeSet;

/**
 * Asks the arcs every five seconds about zones with failed members that stay members, because without them the zone is
 * below its floor. For such a zone the arc is asked for no change, and backups without a copy say nothing. Without this
 * check nobody would tell the owner that the arc has closed the zone, and what waits for its backups would take room
 * for ever (ADR 0341).
 *
 * <p>Runs as tasks of the scheduler.
 */
final class KeptMemberChecks {

    static final long PERIOD_NANOS = 5_000_000_000L;

    private final OwnedZones zones;
    private final MemberChanges changes;
    private final Loop rounds;

    KeptMemberChecks(Scheduler scheduler, OwnedZones zones, MemberChanges changes) {
        this.zones = zones;
        this.changes = changes;
        this.rounds = Loop.every(scheduler, "kept-member-checks", PERIOD_NANOS, this::round);
    }

    void begin() {
        rounds.beginAfter(PERIOD_NANOS);
    }

    void stop() {
        rounds.stop();
    }

    private void round() {
        Set<Integer> creators = new TreeSet<>();
        for (OwnedZone zone : zones.all()) {
            if (!changes.isAsking(zone) && lacksAMember(zone)) {
                creators.add(zone.id() >>> 15);
            }
        }
        creators.forEach(changes::refresh);
    }

    private static boolean lacksAMember(OwnedZone zone) {
        zone.lock();
        try {
            for (ZoneCopy copy : zone.copies()) {
                if (copy.isMember() && copy.isFailed()) {
                    return true;
                }
            }
            return zone.lacksMembers();
        } finally {
            zone.unlock();
        }
    }
}
