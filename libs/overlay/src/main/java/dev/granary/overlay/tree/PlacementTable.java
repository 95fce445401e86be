package dev.granary.overlay.tree;

import dev.granary.overlay.Nid;
import dev.granary.overlay.Placement;
import dev.granary.overlay.PlacementState;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Interned placements with reference counts, without an object for each: {@link OwnerEpochs} and the columns of
 * {@link PackedRows}, found by value through a {@link RefIndex}. Equal placements share one record, whose number stays
 * the same while it is referred to; 0 means "no placement". Source: ADR 0025, 0062.
 *
 * <p>NIDs are stored in reversed bit order: the k-th storage peer's NID is k reversed, so that the numbers of a cluster
 * of 100 take 7 bits each. A backup that is not there is 0, the number of no node.
 *
 * <p>Not thread-safe for writers; {@link #lookup} is safe to call beside a writer when the caller validates the answer.
 */
final class PlacementTable {

    /** The number that means "no placement". */
    static final int NONE = 0;

    private static final int STATE = 0;
    private static final int FIRST_BACKUP = 1;
    private static final int ZONE = 4;
    private static final int COUNT = 5;

    private static final int OWNER_BITS = 16;

    private final OwnerEpochs ownerEpochs = new OwnerEpochs();
    private final PackedRows rows = new PackedRows();
    private final RefIndex index = new RefIndex(this::hashOf);
    private BitSet free = new BitSet();
    private final long[] row = new long[PackedRows.COLUMNS];

    /** Numbers from this one on have not been used. */
    private int nextRef = 1;

    /** The record with this number, or null for {@link #NONE}. */
    @Nullable
    Placement get(int ref) {
        if (ref == NONE) {
            return null;
        }
        int backupCount = 0;
        while (backupCount < Placement.MAX_BACKUPS && rows.get(ref, FIRST_BACKUP + backupCount) != 0) {
            backupCount++;
        }
        int[] backups = new int[backupCount];
        for (int i = 0; i < backupCount; i++) {
            backups[i] = nid(ref, FIRST_BACKUP + i);
        }
        return new Placement(owner(ref), backups, epoch(ref), (int) rows.get(ref, ZONE), PlacementState.ofCode((int)
                rows.get(ref, STATE)));
    }

    /** Owner below, epoch from bit {@value #OWNER_BITS} on; 0 for {@link #NONE}. Allocates nothing. */
    long lookup(int ref) {
        if (ref == NONE) {
            return 0;
        }
        long packed = ownerEpochs.get(ref);
        return packed >>> OWNER_BITS << OWNER_BITS | Nid.reverse16((int) packed);
    }

    /** Returns the number of a record and adds a reference; makes the record when there is none. */
    int intern(Placement placement) {
        long hash = hashOf(placement);
        int known = find(hash, placement);
        if (known != NONE) {
            retain(known);
            return known;
        }
        int ref = free.nextSetBit(0);
        if (ref > 0) {
            free.clear(ref);
        } else {
            ref = nextRef++;
            if (ref >= rows.capacity()) {
                rows.grow();
            }
        }
        store(ref, placement, 1);
        index.add(hash, ref);
        return ref;
    }

    /** Adds a reference; nothing happens for {@link #NONE}. */
    void retain(int ref) {
        if (ref != NONE) {
            rows.set(ref, COUNT, rows.get(ref, COUNT) + 1);
        }
    }

    /** Gives a reference back; the record goes with the last one. Nothing happens for {@link #NONE}. */
    void release(int ref) {
        if (ref == NONE) {
            return;
        }
        long count = rows.get(ref, COUNT) - 1;
        if (count == 0) {
            index.remove(hashOf(ref), ref);
            free.set(ref);
        }
        rows.set(ref, COUNT, count);
        if (index.size() == 0) {
            rows.clear();
            ownerEpochs.clear();
            free = new BitSet();
            nextRef = 1;
        }
    }

    /** The number of records. */
    int size() {
        return index.size();
    }

    /** The number of references to a record that exists. */
    long countOf(int ref) {
        return rows.get(ref, COUNT);
    }

    /** The number of a placement, or {@link #NONE}. */
    int refOf(Placement placement) {
        return find(hashOf(placement), placement);
    }

    /** The numbers of all records of a backup zone, which must not be 0. */
    int[] refsOfZone(int zone) {
        int[] refs = new int[1];
        int found = 0;
        long hash = hashOfZone(zone);
        for (int slot = index.start(hash); index.at(slot, hash) != RefIndex.END; slot = index.next(slot)) {
            int ref = index.at(slot, hash);
            if (ref != RefIndex.OTHER && rows.get(ref, ZONE) == zone) {
                refs = found == refs.length ? Arrays.copyOf(refs, 2 * found) : refs;
                refs[found++] = ref;
            }
        }
        return Arrays.copyOf(refs, found);
    }

    /** Replaces a record's values by others of the same backup zone, which is not 0. No record may have them yet. */
    void replace(int ref, Placement next) {
        // The hash of a record with a zone is the zone's: the index stays as it is.
        store(ref, next, countOf(ref));
    }

    /** The bytes of heap. */
    long footprintBytes() {
        return ownerEpochs.footprintBytes() + rows.footprintBytes() + index.footprintBytes() + free.size() / Byte.SIZE;
    }

    private int find(long hash, Placement placement) {
        for (int slot = index.start(hash); ; slot = index.next(slot)) {
            int ref = index.at(slot, hash);
            if (ref == RefIndex.END) {
                return NONE;
            }
            if (ref != RefIndex.OTHER && equals(ref, placement)) {
                return ref;
            }
        }
    }

    private boolean equals(int ref, Placement placement) {
        boolean same = rows.get(ref, ZONE) == placement.zone()
                && epoch(ref) == placement.epoch()
                && owner(ref) == placement.owner()
                && rows.get(ref, STATE) == placement.state().code();
        for (int i = 0; same && i < Placement.MAX_BACKUPS; i++) {
            same = nid(ref, FIRST_BACKUP + i) == backupOrNone(placement, i);
        }
        return same;
    }

    private void store(int ref, Placement placement, long count) {
        row[STATE] = placement.state().code();
        for (int i = 0; i < Placement.MAX_BACKUPS; i++) {
            row[FIRST_BACKUP + i] = Nid.reverse16(backupOrNone(placement, i));
        }
        row[ZONE] = placement.zone();
        row[COUNT] = count;
        rows.setRow(ref, row);
        ownerEpochs.set(ref, Nid.reverse16(placement.owner()), placement.epoch());
    }

    private int owner(int ref) {
        return (int) lookup(ref) & Nid.MAX;
    }

    private long epoch(int ref) {
        return ownerEpochs.get(ref) >>> OWNER_BITS;
    }

    private int nid(int ref, int column) {
        return Nid.reverse16((int) rows.get(ref, column));
    }

    private static int backupOrNone(Placement placement, int index) {
        return index < placement.backupCount() ? placement.backup(index) : Nid.NONE;
    }

    private static long hashOf(Placement placement) {
        if (placement.zone() != 0) {
            return hashOfZone(placement.zone());
        }
        long backups = 0;
        for (int i = 0; i < Placement.MAX_BACKUPS; i++) {
            backups = backups << OWNER_BITS | backupOrNone(placement, i);
        }
        return hashOf(
                placement.owner(), backups, placement.epoch(), placement.state().code());
    }

    /** The hash of a record that exists, equal to that of its placement. */
    private long hashOf(int ref) {
        int zone = (int) rows.get(ref, ZONE);
        if (zone != 0) {
            return hashOfZone(zone);
        }
        long backups = 0;
        for (int i = 0; i < Placement.MAX_BACKUPS; i++) {
            backups = backups << OWNER_BITS | nid(ref, FIRST_BACKUP + i);
        }
        return hashOf(owner(ref), backups, epoch(ref), (int) rows.get(ref, STATE));
    }

    private static long hashOfZone(int zone) {
        return mix(zone);
    }

    private static long hashOf(int owner, long backups, long epoch, int state) {
        return mix(mix(backups << 2 | state) ^ (epoch << OWNER_BITS | owner));
    }

    /** The last step of SplitMix64: every bit of the result depends on every bit of the value. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
