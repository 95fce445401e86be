package dev.granary.storage.keyed;

import dev.granary.keyed.KeyspaceFullException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * From the hash of a key to the LID of its entry, outside the heap: extendible hashing over pages of {@value
 * #PAGE_SLOTS} slots of 4 bytes (Fagin et al., TODS 1979). A full page is divided in two, so that no step takes longer
 * than to look at the entries of one page. Keys themselves lie in the entries; who calls compares them.
 *
 * <pre>
 *   hash     63 ........... | ... 15          8 | 7           0 |
 *            page: first    |     mark          | first slot    |
 *            bits, by the   |                   | to look at    |
 *            directory      |                   |               |
 *
 *   slot     31        24 23                   0
 *            +-----------+----------------------+
 *            | mark      | LID, 0 for no entry  |
 *            +-----------+----------------------+
 *            EMPTY: all bits 0; REMOVED: LID 0 and a mark of all ones
 * </pre>
 *
 * <p>Invariants: (1) an entry is in the page that the directory names for its hash; (2) between the first slot to look
 * at and the slot of an entry no slot of the page is empty; (3) a page of depth d is named by all 2^(depth - d)
 * directory places with its first d bits; (4) {@code used} and {@code removed} of a page are the numbers of its slots
 * with an entry and of its removed slots. Used by one thread at a time.
 */
final class KeyIndex implements AutoCloseable {

    static final int PAGE_SLOTS = 256;

    /** The largest LID. */
    static final int MAX_LID = (1 << 24) - 1;

    /** A page with so many slots that are not empty is divided, or rid of removed slots. */
    private static final int FULL = 230;

    /** A page with so few entries has only to be rid of removed slots. */
    private static final int ROOMY = 160;

    private static final int MAX_DEPTH = 24;
    private static final int EMPTY = 0;
    private static final int REMOVED = 0xff << 24;
    private static final int MARK_BITS = 8;
    private static final int MARK_SHIFT = Integer.SIZE - MARK_BITS;
    private static final int MARK_MASK = (1 << MARK_BITS) - 1;
    private static final int PAGE_BYTES = PAGE_SLOTS * Integer.BYTES;
    private static final ValueLayout.OfInt SLOT = ValueLayout.JAVA_INT;

    private final IndexMemory memory;
    private final Arena arena = Arena.ofShared();

    /** Pages by their numbers. */
    private MemorySegment[] pages = new MemorySegment[1];

    private byte[] depths = new byte[1];
    private short[] used = new short[1];
    private short[] removed = new short[1];
    private int pageCount;

    /** The number of the page for each value of the first {@link #depth} bits of a hash. */
    private int[] directory = {0};

    private int depth;
    private int size;

    /** Looks at entries. */
    interface Entries {
        /** Returns whether the entry with a LID is that of the wanted key. */
        boolean isWanted(int lid);

        /** Returns the hash of the key of the entry with a LID. */
        long hashOf(int lid);
    }

    /**
     * Makes an empty index.
     *
     * @throws KeyspaceFullException when there is no room for a page
     */
    KeyIndex(IndexMemory memory) {
        this.memory = memory;
        addPage(0);
    }

    /** Returns how many entries there are. */
    int size() {
        return size;
    }

    /** Returns how many bytes the pages take. */
    long bytes() {
        return (long) pageCount * PAGE_BYTES;
    }

    /** Returns the LID of the wanted key, 0 when it is not there. */
    int find(long hash, Entries entries) {
        MemorySegment page = pages[pageOf(hash)];
        int mark = markOf(hash);
        for (int i = 0, slot = (int) hash & (PAGE_SLOTS - 1); i < PAGE_SLOTS; i++, slot = next(slot)) {
            int value = page.getAtIndex(SLOT, slot);
            if (value == EMPTY) {
                return 0;
            }
            if (value >>> MARK_SHIFT == mark && lidOf(value) != 0 && entries.isWanted(lidOf(value))) {
                return lidOf(value);
            }
        }
        return 0;
    }

    /**
     * Makes room for an entry with a hash, so that the next {@link #add} of it does not throw.
     *
     * @throws KeyspaceFullException when there is none; the index is as before
     */
    void makeRoom(long hash, Entries entries) {
        int page = pageOf(hash);
        while (used[page] + removed[page] >= FULL) {
            if (used[page] < ROOMY) {
                rewrite(page, entries);
            } else {
                divide(page, entries);
            }
            page = pageOf(hash);
        }
    }

    /** Adds an entry that is not there, behind {@link #makeRoom}. */
    void add(long hash, int lid) {
        int page = pageOf(hash);
        if (put(page, hash, lid)) {
            removed[page]--;
        }
        used[page]++;
        size++;
    }

    /** Removes an entry that is there. */
    void remove(long hash, int lid) {
        int page = pageOf(hash);
        MemorySegment slots = pages[page];
        for (int i = 0, slot = (int) hash & (PAGE_SLOTS - 1); i < PAGE_SLOTS; i++, slot = next(slot)) {
            int value = slots.getAtIndex(SLOT, slot);
            if (value == EMPTY) {
                break;
            }
            if (lidOf(value) == lid) {
                boolean last = slots.getAtIndex(SLOT, next(slot)) == EMPTY;
                slots.setAtIndex(SLOT, slot, last ? EMPTY : REMOVED);
                removed[page] += (short) (last ? 0 : 1);
                used[page]--;
                size--;
                return;
            }
        }
        throw new IllegalStateException("LID " + lid + " is not in the index");
    }

    /** Returns whether a removed slot was taken. */
    private boolean put(int page, long hash, int lid) {
        MemorySegment slots = pages[page];
        int slot = (int) hash & (PAGE_SLOTS - 1);
        while (lidOf(slots.getAtIndex(SLOT, slot)) != 0) {
            slot = next(slot);
        }
        boolean wasRemoved = slots.getAtIndex(SLOT, slot) == REMOVED;
        slots.setAtIndex(SLOT, slot, markOf(hash) << MARK_SHIFT | lid);
        return wasRemoved;
    }

    /** Writes a page anew, without removed slots. */
    private void rewrite(int page, Entries entries) {
        int[] lids = lidsOf(page);
        clear(page);
        for (int lid : lids) {
            put(page, entries.hashOf(lid), lid);
            used[page]++;
        }
    }

    private void divide(int page, Entries entries) {
        int before = depths[page];
        if (before == MAX_DEPTH) {
            throw new KeyspaceFullException("too many keys of a slot group have hashes that begin alike");
        }
        int added = addPage(before + 1);
        if (before == depth) {
            doubleDirectory();
        }
        int[] lids = lidsOf(page);
        clear(page);
        depths[page] = (byte) (before + 1);
        for (int i = 0; i < directory.length; i++) {
            if (directory[i] == page && (i >>> (depth - before - 1) & 1) == 1) {
                directory[i] = added;
            }
        }
        for (int lid : lids) {
            long hash = entries.hashOf(lid);
            int target = (hash >>> (Long.SIZE - 1 - before) & 1) == 1 ? added : page;
            put(target, hash, lid);
            used[target]++;
        }
    }

    private void doubleDirectory() {
        int[] twice = new int[2 * directory.length];
        for (int i = 0; i < directory.length; i++) {
            twice[2 * i] = directory[i];
            twice[2 * i + 1] = directory[i];
        }
        directory = twice;
        depth++;
    }

    private int addPage(int pageDepth) {
        memory.take(PAGE_BYTES);
        if (pageCount == pages.length) {
            int more = 2 * pageCount;
            pages = Arrays.copyOf(pages, more);
            depths = Arrays.copyOf(depths, more);
            used = Arrays.copyOf(used, more);
            removed = Arrays.copyOf(removed, more);
        }
        pages[pageCount] = arena.allocate(PAGE_BYTES, Integer.BYTES);
        depths[pageCount] = (byte) pageDepth;
        return pageCount++;
    }

    private void clear(int page) {
        pages[page].fill((byte) 0);
        used[page] = 0;
        removed[page] = 0;
    }

    private int[] lidsOf(int page) {
        int[] lids = new int[used[page]];
        for (int slot = 0, i = 0; i < lids.length; slot++) {
            int lid = lidOf(pages[page].getAtIndex(SLOT, slot));
            if (lid != 0) {
                lids[i++] = lid;
            }
        }
        return lids;
    }

    private int pageOf(long hash) {
        return directory[depth == 0 ? 0 : (int) (hash >>> (Long.SIZE - depth))];
    }

    private static int markOf(long hash) {
        return (int) (hash >>> MARK_BITS) & MARK_MASK;
    }

    private static int lidOf(int slot) {
        return slot & MAX_LID;
    }

    private static int next(int slot) {
        return (slot + 1) & (PAGE_SLOTS - 1);
    }

    /**
     * Checks the invariants.
     *
     * @throws IllegalStateException naming the one that does not hold
     */
    void verify(Entries entries) {
        int all = 0;
        for (int page = 0; page < pageCount; page++) {
            int entriesHere = 0;
            int removedHere = 0;
            for (int slot = 0; slot < PAGE_SLOTS; slot++) {
                int value = pages[page].getAtIndex(SLOT, slot);
                removedHere += value == REMOVED ? 1 : 0;
                if (lidOf(value) != 0) {
                    entriesHere++;
                    verifySlot(page, slot, entries.hashOf(lidOf(value)));
                }
            }
            require(entriesHere == used[page] && removedHere == removed[page], "(4) counts of page " + page);
            all += entriesHere;
        }
        require(all == size, "(4) size is " + size + ", and there are " + all);
        for (int i = 0; i < directory.length; i++) {
            int shift = depth - depths[directory[i]];
            require(directory[i >>> shift << shift] == directory[i], "(3) directory place " + i);
        }
    }

    private void verifySlot(int page, int slot, long hash) {
        require(pageOf(hash) == page, "(1) an entry of page " + pageOf(hash) + " is in page " + page);
        for (int at = (int) hash & (PAGE_SLOTS - 1); at != slot; at = next(at)) {
            require(pages[page].getAtIndex(SLOT, at) != EMPTY, "(2) slot " + at + " of page " + page + " is empty");
        }
    }

    private static void require(boolean holds, String invariant) {
        if (!holds) {
            throw new IllegalStateException("index of keys: " + invariant);
        }
    }

    /** Gives all pages back. */
    @Override
    public void close() {
        memory.give(bytes());
        arena.close();
    }
}
