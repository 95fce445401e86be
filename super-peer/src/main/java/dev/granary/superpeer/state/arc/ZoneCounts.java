package dev.granary.superpeer.state.arc;

import dev.granary.overlay.Placement;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many zones of an arc are in which state, kept with each change: metrics are made in the thread that renews
 * leases, several times a second, and must not walk over all zones. No part of the state that is replicated.
 * One thread at a time.
 *
 * <p>Invariant: the counts are those of the zones that were added and not removed;
 * what is counted of nobody is not in the maps.
 */
public final class ZoneCounts {

    /** By owner, its zones by their number of members. */
    private final TreeMap<Integer, int[]> served = new TreeMap<>();

    /** By member, the copies that it should have. */
    private final TreeMap<Integer, Integer> copies = new TreeMap<>();

    private int recovering;
    private int lost;

    /** Is told of what an owner serves. */
    @FunctionalInterface
    public interface OwnerVisitor {
        /** An owner has zones with 0, 1, 2 and so on members; the array is only lent. */
        void owner(int nid, int[] zonesByMembers);
    }

    ZoneCounts() {}

    void add(ZoneRecord zone) {
        count(zone, 1);
    }

    void remove(ZoneRecord zone) {
        count(zone, -1);
    }

    private void count(ZoneRecord zone, int by) {
        Placement placement = zone.placement();
        switch (placement.state()) {
            case IN_SYNC, DEGRADED -> countServed(placement, by);
            case RECOVERING -> recovering += by;
            case LOST -> lost += by;
        }
        assert recovering >= 0 && lost >= 0 : placement;
        for (int i = 0; i < placement.backupCount(); i++) {
            int now = copies.merge(placement.backup(i), by, Integer::sum);
            assert now >= 0 : placement;
            if (now == 0) {
                copies.remove(placement.backup(i));
            }
        }
    }

    private void countServed(Placement placement, int by) {
        int[] byMembers = served.computeIfAbsent(placement.owner(), nid -> new int[Placement.MAX_BACKUPS + 1]);
        byMembers[placement.backupCount()] += by;
        assert byMembers[placement.backupCount()] >= 0 : placement;
        if (by < 0 && Arrays.stream(byMembers).allMatch(count -> count == 0)) {
            served.remove(placement.owner());
        }
    }

    /** Visits all owners of zones, by NID. */
    public void forEachOwner(OwnerVisitor visitor) {
        served.forEach(visitor::owner);
    }

    /** By NID, how many zones have a storage peer as a member. */
    public Map<Integer, Integer> copies() {
        return Collections.unmodifiableMap(copies);
    }

    /** Zones without an owner that are to get one. */
    public int recovering() {
        return recovering;
    }

    /** Zones that are lost for good. */
    public int lost() {
        return lost;
    }
}
