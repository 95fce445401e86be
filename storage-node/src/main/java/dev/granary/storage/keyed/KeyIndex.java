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
 *   hash     63 ........... | ... 13          8 | 7           0 |
 *            page: first    |     mark          | first slot    |
 *            bits, by the   |                   | to look at    |
 *            directory      |                   |               |
 *
 *   slot     31     30      29        24 23                   0
 *            +------+-------+-----------+----------------------+
 *            | used | young | mark      | LID                  |   an entry
 *            +------+-------+-----------+----------------------+
 *            | hash         | 63        | hash                 |   evicted, with 26 bits of the hash
 *            +--------------+-----------+----------------------+
 *            EMPTY: all bits 0; REMOVED: the mark 63, other bits 0
 * </pre>
 *
 * <p>It also knows which entry may go first when memory is needed ({@link #victim}): S3-FIFO (Yang et al., SOSP 2023)
 * with the order of the slots in place of queues. An entry is young until it was found again; a twentieth of the
 * entries may be young and stay. Of the young ones, and of the others, a hand goes round that takes those that nobody
 * has found since it passed. The slot of what was evicted remembers a part of its hash until another entry needs the
 * slot: a key that comes back before that is not young. All of that is a hint: a rewritten page forgets what was
 * evicted.
 *
 * <p>Invariants: (1) an entry is in the page that the directory names for its hash; (2) between the first slot to look
 * at and the slot of an entry no slot of the page is empty; (3) a page of depth d is named by all 2^(depth - d)
 * directory places with its first d bits; (4) {@code taken} and {@code removed} of a page are the numbers of its slots
 * with an entry and of its slots that had one, and {@code young} is the number of young entries. Used by one thread at
 * a time.
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
    private static final int USED = 1 << 31;
    private static final int YOUNG = 1 << 30;
    private static final int MARK_SHIFT = 24;
    private static final int MARK_FIELD = 0x3f << MARK_SHIFT;

    /** Where there was an entry, it is in place of its mark. */
    private static final int REMOVED = MARK_FIELD;

    private static final int LARGEST_MARK = MARK_FIELD - (1 << MARK_SHIFT);

    /** The share of the entries that may be young and stay. */
    private static final int YOUNG_DIVISOR = 20;

    static final int PAGE_BYTES = PAGE_SLOTS * Integer.BYTES;
    private static final ValueLayout.OfInt SLOT = ValueLayout.JAVA_INT;

    private final KeyedMemory memory;
    private final Arena arena = Arena.ofShared();

    /** Pages by their numbers. */
    private MemorySegment[] pages = new MemorySegment[1];

    private byte[] depths = new byte[1];
    private short[] taken = new short[1];
    private short[] removed = new short[1];
    private int pageCount;

    /** The number of the page for each value of the first {@link #depth} bits of a hash. */
    private int[] directory = {0};

    private int depth;
    private int size;
    private int young;

    /** The slots at which the hands are that look for young entries and for others, counted through all pages. */
    private int youngHand;

    private int oldHand;

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
    KeyIndex(KeyedMemory memory) {
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

    /** Returns the LID of the wanted key, 0 when it is not there. What is found counts as used. */
    int find(long hash, Entries entries) {
        MemorySegment page = pages[pageOf(hash)];
        int mark = markOf(hash);
        for (int i = 0, slot = (int) hash & (PAGE_SLOTS - 1); i < PAGE_SLOTS; i++, slot = next(slot)) {
            int value = page.getAtIndex(SLOT, slot);
            if (value == EMPTY) {
                return 0;
            }
            if ((value & MARK_FIELD) == mark && lidOf(value) != 0 && entries.isWanted(lidOf(value))) {
                if ((value & USED) == 0) {
                    page.setAtIndex(SLOT, slot, value | USED);
                }
                return lidOf(value);
            }
        }
        return 0;
    }

    /**
     * Returns the LID of the entry that should go first.
     *
     * @param looks at how many slots to look
     * @return 0 when there is none in so many slots; another call goes on from there
     */
    int victim(int looks) {
        for (int i = 0; i < looks && size > 0; i++) {
            boolean ofYoung = young > size / YOUNG_DIVISOR;
            int at = ofYoung ? youngHand : oldHand;
            int behind = at + 1 < pageCount * PAGE_SLOTS ? at + 1 : 0;
            youngHand = ofYoung ? behind : youngHand;
            oldHand = ofYoung ? oldHand : behind;
            MemorySegment page = pages[at / PAGE_SLOTS];
            int value = page.getAtIndex(SLOT, at % PAGE_SLOTS);
            if (lidOf(value) == 0 || ((value & YOUNG) != 0) != ofYoung) {
                continue;
            }
            if ((value & USED) == 0) {
                return lidOf(value);
            }
            page.setAtIndex(SLOT, at % PAGE_SLOTS, value & ~(USED | YOUNG));
            young -= ofYoung ? 1 : 0;
        }
        return 0;
    }

    /** Returns the LID of an entry in the page in which an entry with a hash would be: one that is not used, if any. */
    int victimBeside(long hash) {
        MemorySegment page = pages[pageOf(hash)];
        int any = 0;
        for (int i = 0, slot = (int) hash & (PAGE_SLOTS - 1); i < PAGE_SLOTS; i++, slot = next(slot)) {
            int value = page.getAtIndex(SLOT, slot);
            if (lidOf(value) != 0 && (value & USED) == 0) {
                return lidOf(value);
            }
            any = lidOf(value) == 0 ? any : lidOf(value);
        }
        return any;
    }

    /** Returns whether the page in which an entry with a hash would be needs not be divided, only rewritten. */
    boolean isRoomyBeside(long hash) {
        return taken[pageOf(hash)] < ROOMY;
    }

    /** Returns the LID of the next entry in the order of the slots, which has no end; 0 when there is none. */
    int nextInTurn() {
        int lid = 0;
        while (lid == 0 && size > 0) {
            lid = lidOf(pages[oldHand / PAGE_SLOTS].getAtIndex(SLOT, oldHand % PAGE_SLOTS));
            oldHand = oldHand + 1 < pageCount * PAGE_SLOTS ? oldHand + 1 : 0;
        }
        return lid;
    }

    /**
     * Makes room for an entry with a hash, so that the next {@link #add} of it does not throw.
     *
     * @throws KeyspaceFullException when there is none; the index is as before
     */
    void makeRoom(long hash, Entries entries) {
        int page = pageOf(hash);
        while (taken[page] + removed[page] >= FULL) {
            if (taken[page] < ROOMY) {
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
        MemorySegment slots = pages[page];
        int mark = markOf(hash);
        int free = -1;
        boolean isBack = false;
        for (int i = 0, slot = (int) hash & (PAGE_SLOTS - 1); i < PAGE_SLOTS && !isBack; i++, slot = next(slot)) {
            int value = slots.getAtIndex(SLOT, slot);
            if (lidOf(value) == 0) {
                isBack = value == ghostOf(hash);
                free = free < 0 || isBack ? slot : free;
            }
            if (value == EMPTY) {
                break;
            }
        }
        removed[page] -= (short) (slots.getAtIndex(SLOT, free) == EMPTY ? 0 : 1);
        slots.setAtIndex(SLOT, free, (isBack ? 0 : YOUNG) | mark | lid);
        young += isBack ? 0 : 1;
        taken[page]++;
        size++;
    }

    /**
     * Removes an entry that is there.
     *
     * @param evicted whether it is remembered, in case that its key comes back
     */
    void remove(long hash, int lid, boolean evicted) {
        int page = pageOf(hash);
        MemorySegment slots = pages[page];
        for (int i = 0, slot = (int) hash & (PAGE_SLOTS - 1); i < PAGE_SLOTS; i++, slot = next(slot)) {
            int value = slots.getAtIndex(SLOT, slot);
            if (value == EMPTY) {
                break;
            }
            if (lidOf(value) == lid) {
                boolean last = slots.getAtIndex(SLOT, next(slot)) == EMPTY;
                int left = evicted ? ghostOf(hash) : last ? EMPTY : REMOVED;
                slots.setAtIndex(SLOT, slot, left);
                removed[page] += (short) (left == EMPTY ? 0 : 1);
                young -= (value & YOUNG) == 0 ? 0 : 1;
                taken[page]--;
                size--;
                return;
            }
        }
        throw new IllegalStateException("LID " + lid + " is not in the index");
    }

    /** Puts an entry into a page without removed slots. */
    private void put(int page, long hash, int value) {
        MemorySegment slots = pages[page];
        int slot = (int) hash & (PAGE_SLOTS - 1);
        while (slots.getAtIndex(SLOT, slot) != EMPTY) {
            slot = next(slot);
        }
        slots.setAtIndex(SLOT, slot, value);
        taken[page]++;
    }

    /** Writes a page anew, without removed slots. */
    private void rewrite(int page, Entries entries) {
        int[] values = entriesOf(page);
        clear(page);
        for (int value : values) {
            put(page, entries.hashOf(lidOf(value)), value);
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
        int[] values = entriesOf(page);
        clear(page);
        depths[page] = (byte) (before + 1);
        for (int i = 0; i < directory.length; i++) {
            if (directory[i] == page && (i >>> (depth - before - 1) & 1) == 1) {
                directory[i] = added;
            }
        }
        for (int value : values) {
            long hash = entries.hashOf(lidOf(value));
            put((hash >>> (Long.SIZE - 1 - before) & 1) == 1 ? added : page, hash, value);
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
        memory.takeIndex(PAGE_BYTES);
        if (pageCount == pages.length) {
            int more = 2 * pageCount;
            pages = Arrays.copyOf(pages, more);
            depths = Arrays.copyOf(depths, more);
            taken = Arrays.copyOf(taken, more);
            removed = Arrays.copyOf(removed, more);
        }
        pages[pageCount] = arena.allocate(PAGE_BYTES, Integer.BYTES);
        depths[pageCount] = (byte) pageDepth;
        return pageCount++;
    }

    private void clear(int page) {
        pages[page].fill((byte) 0);
        taken[page] = 0;
        removed[page] = 0;
    }

    /** Returns the slots of a page that have an entry. */
    private int[] entriesOf(int page) {
        int[] values = new int[taken[page]];
        for (int slot = 0, i = 0; i < values.length; slot++) {
            int value = pages[page].getAtIndex(SLOT, slot);
            if (lidOf(value) != 0) {
                values[i++] = value;
            }
        }
        return values;
    }

    private int pageOf(long hash) {
        return directory[depth == 0 ? 0 : (int) (hash >>> (Long.SIZE - depth))];
    }

    private static int markOf(long hash) {
        return Math.min(LARGEST_MARK, (int) (hash >>> Byte.SIZE) << MARK_SHIFT & MARK_FIELD);
    }

    /** Returns what remembers an entry that was evicted. */
    private static int ghostOf(long hash) {
        return MARK_FIELD | (int) (hash >>> Byte.SIZE);
    }

    /** Returns the LID of a slot's entry, 0 when it has none. */
    private static int lidOf(int slot) {
        return (slot & MARK_FIELD) == MARK_FIELD ? 0 : slot & MAX_LID;
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
        int allYoung = 0;
        for (int page = 0; page < pageCount; page++) {
            int entriesHere = 0;
            int removedHere = 0;
            for (int slot = 0; slot < PAGE_SLOTS; slot++) {
                int value = pages[page].getAtIndex(SLOT, slot);
                removedHere += value != EMPTY && lidOf(value) == 0 ? 1 : 0;
                if (lidOf(value) != 0) {
                    entriesHere++;
                    allYoung += (value & YOUNG) == 0 ? 0 : 1;
                    verifySlot(page, slot, entries.hashOf(lidOf(value)));
                }
            }
            require(entriesHere == taken[page] && removedHere == removed[page], "(4) counts of page " + page);
            all += entriesHere;
        }
        require(all == size, "(4) size is " + size + ", and there are " + all);
        require(allYoung == young, "(4) " + young + " entries are young, and there are " + allYoung);
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
        int mark = pages[page].getAtIndex(SLOT, slot) & MARK_FIELD;
        require(mark == markOf(hash), "(2) the mark of slot " + slot + " of page " + page + " is that of another hash");
    }

    private static void require(boolean holds, String invariant) {
        if (!holds) {
            throw new IllegalStateException("index of keys: " + invariant);
        }
    }

    /** Gives all pages back. */
    @Override
    public void close() {
        memory.giveIndex(bytes());
        arena.close();
    }
}
