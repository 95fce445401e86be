package dev.granary.log.backup;

import java.util.Arrays;

/**
 * Gives each CID a slot, a small number for the index into arrays of the caller. Sixteen neighbouring CIDs share an
 * entry of an open-addressing table, so that CIDs that come in the order in which they were created hardly cost a
 * probe. Not thread-safe.
 */
final class SlotTable {

    private static final int PAGE_BITS = 4;
    private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
    private static final long HASH = 0x9E37_79B9_7F4A_7C15L;

    private long[] keys;
    private int[] bases;
    private int shift;
    private int pages;
    private long lastKey;
    private int lastBase;

    SlotTable() {
        keys = new long[1 << 6];
        bases = new int[1 << 6];
        shift = 64 - 6;
    }

    /** Returns the number of slots in all pages given so far. Arrays that are indexed by slot need this length. */
    int slots() {
        return pages << PAGE_BITS;
    }

    /** Returns how many bytes the table takes in memory. */
    long sizeBytes() {
        return 12L * keys.length;
    }

    /** Returns the slot of a CID, which gets one if it has none. */
    int slot(long cid) {
        // Page numbers have at most 60 bits; one more tells a used entry from an empty one.
        long key = (cid >>> PAGE_BITS) + 1;
        if (key == lastKey) {
            return lastBase | ((int) cid & PAGE_MASK);
        }
        int at = locate(key);
        if (keys[at] == 0) {
            if (2 * (pages + 1) > keys.length) {
                grow();
                at = locate(key);
            }
            keys[at] = key;
            bases[at] = pages++ << PAGE_BITS;
        }
        lastKey = key;
        lastBase = bases[at];
        return lastBase | ((int) cid & PAGE_MASK);
    }

    /** Returns the slot of a CID, -1 if it has none. */
    int find(long cid) {
        long key = (cid >>> PAGE_BITS) + 1;
        if (key == lastKey) {
            return lastBase | ((int) cid & PAGE_MASK);
        }
        int at = locate(key);
        if (keys[at] == 0) {
            return -1;
        }
        lastKey = key;
        lastBase = bases[at];
        return lastBase | ((int) cid & PAGE_MASK);
    }

    private int locate(long key) {
        int mask = keys.length - 1;
        int at = (int) ((key * HASH) >>> shift);
        while (keys[at] != 0 && keys[at] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldBases = bases;
        keys = new long[2 * oldKeys.length];
        bases = Arrays.copyOf(oldBases, keys.length);
        shift--;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int at = locate(oldKeys[i]);
                keys[at] = oldKeys[i];
                bases[at] = oldBases[i];
            }
        }
    }
}
