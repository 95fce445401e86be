package dev.granary.log.backup;

/**
 * Gives each CID a slot, a small number for the index into arrays of the caller. Sixteen neighbouring CIDs share an
 * entry of an open-addressing table, so that CIDs that come in the order in which they were created hardly cost a
 * probe. Not thread-safe.
 */
final class SlotTable {

    private static final int PAGE_BITS = 4;
    private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
    private static final int LONGS_AN_ENTRY = 2;
    private static final long HASH = 0x9E37_79B9_7F4A_7C15L;

    /** For each entry its key, 0 when it is empty, and behind that its first slot. */
    private long[] entries;

    private int shift;
    private int pages;
    private long lastKey;
    private int lastBase;

    SlotTable() {
        entries = new long[LONGS_AN_ENTRY << 6];
        shift = 64 - 6;
    }

    /** Returns the number of slots in all pages given so far. Arrays that are indexed by slot need this length. */
    int slots() {
        return pages << PAGE_BITS;
    }

    /** Returns how many bytes the table takes in memory. */
    long sizeBytes() {
        return (long) Long.BYTES * entries.length;
    }

    /** Returns the slot of a CID, which gets one if it has none. */
    int slot(long cid) {
        // Page numbers have at most 60 bits; one more tells a used entry from an empty one.
        long key = (cid >>> PAGE_BITS) + 1;
        if (key == lastKey) {
            return lastBase | ((int) cid & PAGE_MASK);
        }
        int at = locate(key);
        if (entries[at] == 0) {
            if (LONGS_AN_ENTRY * 2 * (pages + 1) > entries.length) {
                grow();
                at = locate(key);
            }
            entries[at] = key;
            entries[at + 1] = (long) pages++ << PAGE_BITS;
        }
        lastKey = key;
        lastBase = (int) entries[at + 1];
        return lastBase | ((int) cid & PAGE_MASK);
    }

    /** Returns the slot of a CID, -1 if it has none. */
    int find(long cid) {
        long key = (cid >>> PAGE_BITS) + 1;
        if (key == lastKey) {
            return lastBase | ((int) cid & PAGE_MASK);
        }
        int at = locate(key);
        if (entries[at] == 0) {
            return -1;
        }
        lastKey = key;
        lastBase = (int) entries[at + 1];
        return lastBase | ((int) cid & PAGE_MASK);
    }

    /** Returns where the entry of a key is, or would be. */
    private int locate(long key) {
        int mask = entries.length - 1;
        int at = (int) ((key * HASH) >>> shift) * LONGS_AN_ENTRY;
        while (entries[at] != 0 && entries[at] != key) {
            at = (at + LONGS_AN_ENTRY) & mask;
        }
        return at;
    }

    private void grow() {
        long[] old = entries;
        entries = new long[2 * old.length];
        shift--;
        for (int i = 0; i < old.length; i += LONGS_AN_ENTRY) {
            if (old[i] != 0) {
                int at = locate(old[i]);
                entries[at] = old[i];
                entries[at + 1] = old[i + 1];
            }
        }
    }
}
