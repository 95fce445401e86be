package dev.granary.storage.keyed;

import dev.granary.keyed.KeyspaceFullException;
import java.util.Arrays;

/**
 * From the hash of a key to the LID of its entry, outside the heap: extendible hashing over pages of up to {@value
 * IndexPages#MAX_SLOTS} slots (Fagin et al., TODS 1979). A full page takes one unit of slots more; one that has them
 * all is divided in two, so that no step takes longer than to look at the entries of one page. Keys themselves lie in
 * the entries; who calls compares them.
 *
 * <pre>
 *   hash     63 ........... | ... 13          8 | 7           0 |
 *            page: first    |     mark          | first slot    |
 *            bits, by the   |                   | to look at,   |
 *            directory      |                   | as a fraction |
 *
 *   slot     31     30      29        24 23                   0
 *            +------+-------+-----------+----------------------+
 *            | used | young | mark      | LID                  |   an entry
 *            +------+-------+-----------+----------------------+
 *            | hash         | 63        | hash                 |   evicted, with 26 bits of the hash
 *            +--------------+-----------+----------------------+
 *            EMPTY: all bits 0; REMOVED: the mark 63, other bits 0. No entry has the marks 0 and 63.
 * </pre>
 *
 * <p>In pages whose LIDs are all below 2^16 a slot has 24 bits ({@link IndexPages}): it lacks the bits 16 to 23.
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

    /** The largest LID. */
    static final int MAX_LID = (1 << 24) - 1;

    /** The most bytes that one step of {@link #makeRoom} takes. */
    static final int GROWTH_BYTES = IndexPages.BLOCK_BYTES;

    /** A page with that share of slots that are not empty grows, is divided, or rid of removed slots. */
    private static final int FULL_PERCENT = 90;

    /** A page with entries in less than that share of its slots has only to be rid of removed slots. */
    private static final int ROOMY_PERCENT = 62;

    private static final int MAX_DEPTH = 24;
    private static final int EMPTY = 0;
    private static final int USED = 1 << 31;
    private static final int YOUNG = 1 << 30;
    private static final int MARK_SHIFT = 24;
    private static final int MARK_FIELD = 0x3f << MARK_SHIFT;
    private static final int USED_HEAD = USED >>> MARK_SHIFT;
    private static final int MARK_HEAD = MARK_FIELD >>> MARK_SHIFT;

    private static final long EACH_BYTE = 0x0101_0101_0101_0101L;
    private static final long LOW_BITS = 0x7f * EACH_BYTE;

    /** Where there was an entry, it is in place of its mark. */
    private static final int REMOVED = MARK_FIELD;

    /** The share of the entries that may be young and stay. */
    private static final int YOUNG_DIVISOR = 20;

    private final IndexPages pages;
    private byte[] depths = new byte[1];
    private short[] taken = new short[1];
    private short[] removed = new short[1];

    /** The number of the page for each value of the first {@link #depth} bits of a hash. */
    private int[] directory = {0};

    private int depth;
    private int size;
    private int young;

    /**
     * The slots at which the hands are that look for young entries and for others, counted as if each page had all
     * slots.
     */
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
     * @param lender gives the memory that the plan does not have
     * @throws KeyspaceFullException when there is no room for a page
     */
    KeyIndex(KeyedMemory memory, KeyedMemory.Lender lender) {
        pages = new IndexPages(memory, lender);
        pages.reserve(1);
        pages.reset(addPage(0), 1, false);
    }

    /** Returns how many entries there are. */
    int size() {
        return size;
    }

    /** Returns how many bytes the pages take. */
    long bytes() {
        return pages.bytes();
    }

    /** Returns the LID of the wanted key, 0 when it is not there. What is found counts as used. */
    int find(long hash, Entries entries) {
        int page = pageOf(hash);
        int slots = pages.slots(page);
        long marks = markOf(hash) * EACH_BYTE;
        int slot = firstSlot(hash, slots);
        for (int left = slots; left > 0; ) {
            int count = Math.min(left, pages.headCount(page, slot));
            long heads = pages.heads(page, slot);
            long empty = zeroBytes(heads);
            long same = zeroBytes((heads & (MARK_HEAD * EACH_BYTE)) ^ marks);
            long hits = (empty | same) & (-1L >>> (Byte.SIZE * (Long.BYTES - count)));
            for (; hits != 0; hits &= hits - 1) {
                int at = Long.numberOfTrailingZeros(hits);
                if ((empty >>> at & 1L) != 0) {
                    return 0;
                }
                int lid = lidOf(pages.get(page, slot + at / Byte.SIZE));
                if (entries.isWanted(lid)) {
                    use(page, slot + at / Byte.SIZE);
                    return lid;
                }
            }
            left -= count;
            slot = slot + count < slots ? slot + count : 0;
        }
        return 0;
    }

    private void use(int page, int slot) {
        int head = pages.head(page, slot);
        if ((head & USED_HEAD) == 0) {
            pages.head(page, slot, head | USED_HEAD);
        }
    }

    /** Returns a number whose bytes have their highest bit where those of another number are 0, and no other bit. */
    private static long zeroBytes(long bytes) {
        return ~((((bytes & LOW_BITS) + LOW_BITS) | bytes) | LOW_BITS);
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
            int behind = behind(at);
            youngHand = ofYoung ? behind : youngHand;
            oldHand = ofYoung ? oldHand : behind;
            int value = valueAt(at);
            if (lidOf(value) == 0 || ((value & YOUNG) != 0) != ofYoung) {
                continue;
            }
            if ((value & USED) == 0) {
                return lidOf(value);
            }
            int kept = value & ~(USED | YOUNG);
            pages.head(at / IndexPages.MAX_SLOTS, at % IndexPages.MAX_SLOTS, kept >>> MARK_SHIFT);
            young -= ofYoung ? 1 : 0;
        }
        return 0;
    }

    /** Returns the place of a hand behind another one: the next slot of the page, or the first one of the next page. */
    private int behind(int at) {
        int page = at / IndexPages.MAX_SLOTS;
        if (at % IndexPages.MAX_SLOTS + 1 < pages.slots(page)) {
            return at + 1;
        }
        return page + 1 < pages.count() ? (page + 1) * IndexPages.MAX_SLOTS : 0;
    }

    /** Returns the slot under a hand; EMPTY when its page has become smaller. */
    private int valueAt(int at) {
        int page = at / IndexPages.MAX_SLOTS;
        int slot = at % IndexPages.MAX_SLOTS;
        return slot < pages.slots(page) ? pages.get(page, slot) : EMPTY;
    }

    /** Returns the LID of an entry in the page in which an entry with a hash would be: one that is not used, if any. */
    int victimBeside(long hash) {
        int page = pageOf(hash);
        int slots = pages.slots(page);
        int any = 0;
        for (int i = 0, slot = firstSlot(hash, slots); i < slots; i++, slot = next(slot, slots)) {
            int value = pages.get(page, slot);
            if (lidOf(value) != 0 && (value & USED) == 0) {
                return lidOf(value);
            }
            any = lidOf(value) == 0 ? any : lidOf(value);
        }
        return any;
    }

    /** Returns whether the page in which an entry with a hash would be needs no memory to take it, only rewriting. */
    boolean isRoomyBeside(long hash) {
        return isRoomy(pageOf(hash));
    }

    /** Returns the LID of the next entry in the order of the slots, which has no end; 0 when there is none. */
    int nextInTurn() {
        int lid = 0;
        while (lid == 0 && size > 0) {
            lid = lidOf(valueAt(oldHand));
            oldHand = behind(oldHand);
        }
        return lid;
    }

    /**
     * Makes room for an entry, so that the next {@link #add} of it does not throw.
     *
     * @throws KeyspaceFullException when there is none; no entry is lost
     */
    void makeRoom(long hash, int lid, Entries entries) {
        int page = pageOf(hash);
        while (isFull(page) || isTooNarrow(page, lid)) {
            boolean wide = pages.isWide(page) || lid > IndexPages.MAX_NARROW_LID;
            int units = isTooNarrow(page, lid) ? unitsFor(taken[page], true) : nextUnits(page);
            if (units > IndexPages.MAX_UNITS) {
                divide(page, wide, entries);
            } else {
                rewrite(page, units, wide, entries);
            }
            page = pageOf(hash);
        }
    }

    private boolean isTooNarrow(int page, int lid) {
        return lid > IndexPages.MAX_NARROW_LID && !pages.isWide(page);
    }

    private boolean isFull(int page) {
        return taken[page] + removed[page] >= pages.slots(page) * FULL_PERCENT / 100;
    }

    private boolean isRoomy(int page) {
        return isRoomy(taken[page], pages.slots(page));
    }

    private static boolean isRoomy(int entries, int slots) {
        return entries < slots * ROOMY_PERCENT / 100;
    }

    /**
     * Returns how many units a full page should have: as many as its entries need. What was evicted is kept in mind as
     * long as the entries alone need most of the slots.
     */
    private int nextUnits(int page) {
        if (!isRoomy(page)) {
            return 2 * evicted(page) > removed[page]
                    ? pages.unitCount(page) + 1
                    : unitsFor(taken[page], pages.isWide(page));
        }
        int units = 1;
        while (!isRoomy(taken[page], IndexPages.slots(units, pages.isWide(page)))) {
            units++;
        }
        return units;
    }

    /** Returns in how many of its slots a page keeps in mind what was evicted. */
    private int evicted(int page) {
        int evicted = 0;
        for (int slot = 0; removed[page] > 0 && slot < pages.slots(page); slot++) {
            int value = pages.get(page, slot);
            evicted += value != EMPTY && value != REMOVED && lidOf(value) == 0 ? 1 : 0;
        }
        return evicted;
    }

    /** Returns how many units so many entries need, with half a unit for more. */
    private static int unitsFor(int entries, boolean wide) {
        int units = 1;
        int spare = IndexPages.slots(1, wide) / 2;
        while (entries + spare > IndexPages.slots(units, wide) * FULL_PERCENT / 100) {
            units++;
        }
        return units;
    }

    /** Adds an entry that is not there, behind {@link #makeRoom}. */
    void add(long hash, int lid) {
        int page = pageOf(hash);
        int slots = pages.slots(page);
        int ghost = pages.kept(page, ghostOf(hash));
        int free = -1;
        boolean isBack = false;
        boolean isEmpty = false;
        for (int i = 0, slot = firstSlot(hash, slots);
                i < slots && !isBack && !isEmpty;
                i++, slot = next(slot, slots)) {
            int value = pages.get(page, slot);
            if (lidOf(value) == 0) {
                isBack = value == ghost;
                free = free < 0 || isBack ? slot : free;
                isEmpty = value == EMPTY;
            }
        }
        removed[page] -= (short) (pages.head(page, free) == EMPTY ? 0 : 1);
        pages.set(page, free, (isBack ? 0 : YOUNG) | markOf(hash) << MARK_SHIFT | lid);
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
        int slots = pages.slots(page);
        for (int i = 0, slot = firstSlot(hash, slots); i < slots; i++, slot = next(slot, slots)) {
            int value = pages.get(page, slot);
            if (value == EMPTY) {
                break;
            }
            if (lidOf(value) == lid) {
                boolean last = pages.head(page, next(slot, slots)) == EMPTY;
                int left = evicted ? ghostOf(hash) : last ? EMPTY : REMOVED;
                pages.set(page, slot, left);
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
        int slots = pages.slots(page);
        int slot = firstSlot(hash, slots);
        while (pages.head(page, slot) != EMPTY) {
            slot = next(slot, slots);
        }
        pages.set(page, slot, value);
        taken[page]++;
    }

    /** Writes a page anew with so many units, without removed slots. */
    private void rewrite(int page, int units, boolean wide, Entries entries) {
        pages.reserve(units - pages.unitCount(page));
        int[] values = entriesOf(page);
        clear(page, units, wide);
        for (int value : values) {
            put(page, entries.hashOf(lidOf(value)), value);
        }
    }

    private void divide(int page, boolean wide, Entries entries) {
        int before = depths[page];
        if (before == MAX_DEPTH) {
            throw new KeyspaceFullException("too many keys of a slot group have hashes that begin alike");
        }
        // As a rule the halves need as much. To look at all entries only to refuse the key would take far longer.
        pages.reserve(1);
        int[] values = entriesOf(page);
        long[] hashes = new long[values.length];
        int above = 0;
        for (int i = 0; i < values.length; i++) {
            hashes[i] = entries.hashOf(lidOf(values[i]));
            above += isAbove(hashes[i], before) ? 1 : 0;
        }
        int unitsBelow = Math.min(IndexPages.MAX_UNITS, unitsFor(values.length - above, wide));
        int unitsAbove = Math.min(IndexPages.MAX_UNITS, unitsFor(above, wide));
        pages.reserve(unitsBelow + unitsAbove - pages.unitCount(page));
        int added = addPage(before + 1);
        if (before == depth) {
            doubleDirectory();
        }
        depths[page] = (byte) (before + 1);
        for (int i = 0; i < directory.length; i++) {
            if (directory[i] == page && (i >>> (depth - before - 1) & 1) == 1) {
                directory[i] = added;
            }
        }
        clear(page, unitsBelow, wide);
        clear(added, unitsAbove, wide);
        for (int i = 0; i < values.length; i++) {
            put(isAbove(hashes[i], before) ? added : page, hashes[i], values[i]);
        }
    }

    /** Returns whether an entry goes to the second half of a page of a depth that is divided. */
    private static boolean isAbove(long hash, int depth) {
        return (hash >>> (Long.SIZE - 1 - depth) & 1) == 1;
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
        int page = pages.add();
        if (page == depths.length) {
            int more = 2 * page;
            depths = Arrays.copyOf(depths, more);
            taken = Arrays.copyOf(taken, more);
            removed = Arrays.copyOf(removed, more);
        }
        depths[page] = (byte) pageDepth;
        return page;
    }

    private void clear(int page, int units, boolean wide) {
        pages.reset(page, units, wide);
        taken[page] = 0;
        removed[page] = 0;
    }

    /** Returns the slots of a page that have an entry. */
    private int[] entriesOf(int page) {
        int[] values = new int[taken[page]];
        for (int slot = 0, i = 0; i < values.length; slot++) {
            int value = pages.get(page, slot);
            if (lidOf(value) != 0) {
                values[i++] = value;
            }
        }
        return values;
    }

    private int pageOf(long hash) {
        return directory[depth == 0 ? 0 : (int) (hash >>> (Long.SIZE - depth))];
    }

    private static int firstSlot(long hash, int slots) {
        return ((int) (hash & 0xff) * slots) >>> Byte.SIZE;
    }

    private static int next(int slot, int slots) {
        return slot + 1 < slots ? slot + 1 : 0;
    }

    /** Returns the mark of an entry, from 1 to 62. */
    private static int markOf(long hash) {
        return Math.clamp(hash >>> Byte.SIZE & MARK_HEAD, 1, MARK_HEAD - 1);
    }

    /** Returns what remembers an entry that was evicted. */
    private static int ghostOf(long hash) {
        return MARK_FIELD | (int) (hash >>> Byte.SIZE);
    }

    /** Returns the LID of a slot's entry, 0 when it has none. */
    private static int lidOf(int slot) {
        return (slot & MARK_FIELD) == MARK_FIELD ? 0 : slot & MAX_LID;
    }

    /**
     * Checks the invariants.
     *
     * @throws IllegalStateException naming the one that does not hold
     */
    void verify(Entries entries) {
        pages.verify();
        int all = 0;
        int allYoung = 0;
        for (int page = 0; page < pages.count(); page++) {
            int entriesHere = 0;
            int removedHere = 0;
            for (int slot = 0; slot < pages.slots(page); slot++) {
                int value = pages.get(page, slot);
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
        int slots = pages.slots(page);
        for (int at = firstSlot(hash, slots); at != slot; at = next(at, slots)) {
            require(pages.head(page, at) != EMPTY, "(2) slot " + at + " of page " + page + " is empty");
        }
        int mark = pages.head(page, slot) & MARK_HEAD;
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
        pages.close();
    }
}
