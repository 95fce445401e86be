package dev.granary.storage.data;

import dev.granary.storage.replicate.OwnedZone;
import dev.granary.storage.replicate.OwnedZones;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one request by the zones that they are in. Chunks of one zone keep their order. Reused by one thread.
 *
 * <pre>
 *   order    indexes of the request's chunks, group by group
 *            | group 0        | group 1   | ...
 *   start    0                start[1]    ...          start[groups] = count
 * </pre>
 */
final class ZoneGroups {

    private int[] order = new int[256];
    private int[] groupOf = new int[256];
    private int[] start = new int[9];
    private @Nullable OwnedZone[] zones = new OwnedZone[8];
    private int groups;
    private boolean identity;

    /** The open addressing of {@link #isRepeated}: CIDs that were seen, 0 for a free place. */
    private long[] seen = new long[0];

    /** Groups the first chunks of an array. */
    void group(OwnedZones owned, long[] cids, int count) {
        groups = 0;
        identity = true;
        if (groupOf.length < count) {
            groupOf = new int[cids.length];
            order = new int[cids.length];
        }
        int last = -1;
        for (int i = 0; i < count; i++) {
            OwnedZone zone = owned.find(cids[i]);
            if (last < 0 || zones[last] != zone) {
                last = indexOf(zone);
            }
            groupOf[i] = last;
        }
        Arrays.fill(start, 0, groups + 1, 0);
        if (groups == 1) {
            start[1] = count;
            return;
        }
        identity = false;
        for (int i = 0; i < count; i++) {
            start[groupOf[i] + 1]++;
        }
        for (int group = 0; group < groups; group++) {
            start[group + 1] += start[group];
        }
        // Each start moves to its group's end while the group is filled, which is where the next one starts.
        for (int i = 0; i < count; i++) {
            order[start[groupOf[i]]++] = i;
        }
        System.arraycopy(start, 0, start, 1, groups);
        start[0] = 0;
    }

    private int indexOf(@Nullable OwnedZone zone) {
        for (int i = 0; i < groups; i++) {
            if (zones[i] == zone) {
                return i;
            }
        }
        if (groups == zones.length) {
            zones = Arrays.copyOf(zones, 2 * groups);
            start = Arrays.copyOf(start, 2 * groups + 1);
        }
        zones[groups] = zone;
        return groups++;
    }

    int groups() {
        return groups;
    }

    /** The zone of a group; null for chunks that are in none. */
    @Nullable
    OwnedZone zone(int group) {
        return zones[group];
    }

    /** Where a group begins in the order. */
    int start(int group) {
        return start[group];
    }

    /** Where a group ends in the order, exclusive. */
    int end(int group) {
        return start[group + 1];
    }

    /** The chunk at a place of the order, as an index of the request. */
    int at(int place) {
        return identity ? place : order[place];
    }

    /** Nothing has been seen from here on. */
    void beginSeen(int count) {
        int length = Integer.highestOneBit(Math.max(count, 2)) * 4;
        if (seen.length < length || seen.length > 16 * length) {
            seen = new long[length];
        } else {
            Arrays.fill(seen, 0);
        }
    }

    /** Whether a CID has been seen; from now on it has. */
    boolean isRepeated(long cid) {
        int index = (int) ((cid * 0x9E3779B97F4A7C15L) >>> 32) & (seen.length - 1);
        while (seen[index] != 0) {
            if (seen[index] == cid) {
                return true;
            }
            index = (index + 1) & (seen.length - 1);
        }
        seen[index] = cid;
        return false;
    }
}
