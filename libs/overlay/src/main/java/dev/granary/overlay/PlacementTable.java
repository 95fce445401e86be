package dev.granary.overlay;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Interned placements with reference counts. Equal placements share one record, whose number stays the same while it is
 * referred to; 0 means "no placement". Not thread-safe for writers; {@link #get} is safe to call beside a writer when the
 * caller validates the answer.
 */
final class PlacementTable {

    /** The number that means "no placement". */
    static final int NONE = 0;

    private static final int RECORD_BYTES = 125;

    /** Looked up by value only, never iterated. */
    private final Map<Placement, Integer> refByPlacement = new HashMap<>();

    private @Nullable Placement[] placements = new Placement[8];
    private int[] counts = new int[8];

    /** Numbers below this one have been used. */
    private int nextRef = 1;

    /** Head of the list of free numbers, chained through {@link #counts}; 0 ends it. */
    private int firstFree;

    /** The record with this number, or null for {@link #NONE}. */
    @Nullable
    Placement get(int ref) {
        return placements[ref];
    }

    /** The number of the record, made when there is none yet, with one more reference. */
    int intern(Placement placement) {
        Integer known = refByPlacement.get(placement);
        if (known != null) {
            counts[known]++;
            return known;
        }
        int ref = firstFree;
        if (ref != NONE) {
            firstFree = counts[ref];
        } else {
            ref = nextRef++;
            if (ref == counts.length) {
                placements = Arrays.copyOf(placements, 2 * ref);
                counts = Arrays.copyOf(counts, 2 * ref);
            }
        }
        placements[ref] = placement;
        counts[ref] = 1;
        refByPlacement.put(placement, ref);
        return ref;
    }

    /** Adds a reference; nothing happens for {@link #NONE}. */
    void retain(int ref) {
        if (ref != NONE) {
            counts[ref]++;
        }
    }

    /** Gives a reference back; the record goes with the last one. Nothing happens for {@link #NONE}. */
    void release(int ref) {
        if (ref == NONE) {
            return;
        }
        counts[ref]--;
        if (counts[ref] == 0) {
            refByPlacement.remove(placements[ref]);
            placements[ref] = null;
            counts[ref] = firstFree;
            firstFree = ref;
        }
    }

    /** The number of records. */
    int size() {
        return refByPlacement.size();
    }

    /** The number of references to a record that exists. */
    int countOf(int ref) {
        return counts[ref];
    }

    /** The number of a placement, or {@link #NONE}. */
    int refOf(Placement placement) {
        Integer ref = refByPlacement.get(placement);
        return ref == null ? NONE : ref;
    }

    /** The bytes of heap, about: array slots, and per record the placement, its array of backups and the map's entry. */
    long footprintBytes() {
        return 8L * counts.length + (long) RECORD_BYTES * size();
    }
}
