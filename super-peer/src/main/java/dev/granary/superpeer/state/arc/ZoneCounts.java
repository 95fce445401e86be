package dev.granary.superpeer.state.arc;

import dev.granary.overlay.Placement;
import dev.granary.superpeer.state.ZoneRecord;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many zones of an arc are in which state, updated with each change. The thread that renews leases also makes the
 * metrics, several times a second, and must not walk over all zones. Not part of the replicated state. One thread at a
 * time.
 *
 * <p>Invariant: the counts are those of the zones that were added and not removed; a count of 0 is not in the maps.
 */
public final class ZoneCounts {

    /** By owner, its zones by their number of members. */
    private final TreeMap<Integer, int[]> served = new TreeMap<>();

    /** By member, the copies that it should have. */
    private final TreeMap<Integer, Integer> copies = new TreeMap<>();

    private int recovering;
    private int lost;

    /** Is given the zones of each owner. */
    @FunctionalInterface
    public interface OwnerVisitor {
        /** Called for an owner with its numbers of zones with 0, 1, 2 and so on members. The array is only lent. */
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

    /** Returns, by NID, of how many zones a storage peer is a member. */
    public Map<Integer, Integer> copies() {
        return Collections.unmodifiableMap(copies);
    }

    /** Returns the number of zones without an owner that are to get one. */
    public int recovering() {
        return recovering;
    }

    /** Returns the number of zones that are lost for good. */
    public int lost() {
        return lost;
    }
}
