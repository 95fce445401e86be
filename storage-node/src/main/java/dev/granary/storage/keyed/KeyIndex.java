package dev.granary.storage.keyed;

import dev.granary.keyed.KeyspaceFullException;
import java.util.Arrays;

/**
 * From the hash of a key to the LID of its entry, outside the heap: extendible hashing over pages of up to {@value
 * IndexPages#MAX_SLOTS} slots (Fagin et al., TODS 1979), which are in the order of the hash. A full page takes one unit
 * of slots more; one that has them all is divided in two, so that no step takes longer than to look at the entries of
 * one page. Keys themselves lie in the entries; who calls compares them.
 *
 * <pre>
 *   hash     63 ........... | ... 8 bits ... | .......... | 7    0 |
 *            page: first    | bucket         |            | mark   |
 *            bits, by the   |                |            |        |
 *            directory      |                |            |        |
 *
 *   slot     +-------+------+------+-----------+
 *            | young | used | mark | LID       |     an entry; the mark is 0 to 6
 *            +-------+------+------+-----------+
 *            | hash         | 7    | hash      |     evicted, with as many bits of the hash as there is room for
 *            +--------------+------+-----------+
 *              1       1      3      as many bits as the LIDs of the page need
 * </pre>
 *
 * <p>A page has the bits young and used only if it is <em>hinted</em>: if keys were evicted when it became what it is
 * ({@link EvictionPolicy}). A page that is not hinted becomes so with the next entry, once keys are evicted.
 *
 * <p>It also knows which entry may go first when memory is needed ({@link #victim}): S3-FIFO (Yang et al., SOSP 2023)
 * with the order of the slots in place of queues. An entry is young until it was found again; a twentieth of the
 * entries may be young and stay. Of the young ones, and of the others, a hand goes round that takes those that nobody
 * has found since it passed. The slot of what was evicted remembers a part of its hash: a key that comes back before it
 * is forgotten is not young. A page remembers one for four entries, more where there is room. All of that is a hint: a
 * page that is divided forgets what was evicted.
 *
 * <p>Invariants: (1) an entry is in the page that the directory names for its hash; (2) it is in the bucket of its
 * hash, and has its mark; (3) a page of depth d is named by all 2^(depth - d) directory places with its first d bits;
 * (4) {@code taken} of a page is the number of its slots with an entry; the others remember one that was evicted; and
 * {@code young} is the number of young entries. Used by one thread at a time.
 */
final class KeyIndex implements AutoCloseable {

    /** The largest LID. */
    static final int MAX_LID = (1 << 24) - 1;

    /** The most bytes that one step of {@link #makeRoom} takes. */
    static final int GROWTH_BYTES = IndexPages.BLOCK_BYTES;

    private static final int MAX_DEPTH = 24;
    private static final int BUCKET_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(IndexPages.BUCKETS);
    private static final int MARK_BITS = 3;
    private static final int HINT_BITS = 2;

    /** In place of the mark of an entry: the slot remembers one that was evicted. */
    private static final int GHOST = (1 << MARK_BITS) - 1;

    /** A full page remembers at most so many evicted entries for a hundred others; before one more it forgets one. */
    private static final int GHOST_PERCENT = 25;

    private static final int MIN_LID_BITS = IndexPages.MIN_BITS - MARK_BITS;

    /** The share of the entries that may be young and stay. */
    private static final int YOUNG_DIVISOR = 20;

    private final KeyedMemory memory;
    private final IndexPages pages;
    private byte[] depths = new byte[1];
    private short[] taken = new short[1];
    private boolean[] hinted = new boolean[1];

    /** The number of the page for each value of the first {@link #depth} bits of a hash. */
    private int[] directory = {0};

    private int depth;
    private int size;
    private int young;

    /** How many bits the largest LID needs that came. */
    private int lidBits = MIN_LID_BITS;

    /**
     * The slots at which the hands are that look for young entries and for others, counted as if each page had all
     * slots.
     */
    private int youngHand;

    private int oldHand;

    /** Where the next one is looked for that is forgotten, in any page. */
    private int ghostHand;

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
        this.memory = memory;
        pages = new IndexPages(memory, lender);
        pages.reserve(1);
        clear(addPage(0), 1, MIN_LID_BITS, memory.policy().evicts());
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
        long run = pages.run(page, bucketOf(hash, page));
        int width = lidBits(page);
        int mark = markOf(hash);
        int end = (int) (run >>> Integer.SIZE);
        for (int slot = (int) run; slot < end; slot++) {
            int value = pages.get(page, slot);
            if (((value >>> width) & GHOST) != mark) {
                continue;
            }
            int lid = value & ((1 << width) - 1);
            if (entries.isWanted(lid)) {
                if (hinted[page] && (value & used(width)) == 0) {
                    pages.set(page, slot, value | used(width));
                }
                return lid;
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
            int behind = behind(at);
            youngHand = ofYoung ? behind : youngHand;
            oldHand = ofYoung ? oldHand : behind;
            int page = at / IndexPages.MAX_SLOTS;
            int slot = at % IndexPages.MAX_SLOTS;
            int lid = lidAt(page, slot);
            if (lid == 0 || isYoung(page, slot) != ofYoung) {
                continue;
            }
            int value = pages.get(page, slot);
            int width = lidBits(page);
            if (!hinted[page] || (value & used(width)) == 0) {
                return lid;
            }
            pages.set(page, slot, value & ~(used(width) | young(width)));
            young -= ofYoung ? 1 : 0;
        }
        return 0;
    }

    /** Returns the place of a hand behind another one: the next slot of the page, or the first one of the next page. */
    private int behind(int at) {
        int page = at / IndexPages.MAX_SLOTS;
        if (at % IndexPages.MAX_SLOTS + 1 < pages.size(page)) {
            return at + 1;
        }
        return page + 1 < pages.count() ? (page + 1) * IndexPages.MAX_SLOTS : 0;
    }

    /** Returns the LID of the entry in a slot; 0 when it has none, or the page has become smaller. */
    private int lidAt(int page, int slot) {
        if (slot >= pages.size(page)) {
            return 0;
        }
        int value = pages.get(page, slot);
        return isGhost(value, lidBits(page)) ? 0 : value & ((1 << lidBits(page)) - 1);
    }

    private boolean isYoung(int page, int slot) {
        return hinted[page] && (pages.get(page, slot) & young(lidBits(page))) != 0;
    }

    private boolean isUsed(int page, int slot) {
        return hinted[page] && (pages.get(page, slot) & used(lidBits(page))) != 0;
    }

    /** Returns the LID of an entry in the page in which an entry with a hash would be: one that is not used, if any. */
    int victimBeside(long hash) {
        int page = pageOf(hash);
        int any = 0;
        int slots = pages.size(page);
        int first = (int) pages.run(page, bucketOf(hash, page));
        for (int i = 0; i < slots; i++) {
            int slot = first + i < slots ? first + i : first + i - slots;
            int lid = lidAt(page, slot);
            if (lid != 0 && !isUsed(page, slot)) {
                return lid;
            }
            any = lid == 0 ? any : lid;
        }
        return any;
    }

    /** Returns whether the page in which an entry with a hash would be needs no memory to take it, only rewriting. */
    boolean isRoomyBeside(long hash) {
        int page = pageOf(hash);
        int bits = lidBits + MARK_BITS + (hinted[page] ? HINT_BITS : 0);
        return taken[page] < IndexPages.MAX_SLOTS
                && IndexPages.unitsFor(taken[page] + 1, bits) <= pages.unitCount(page);
    }

    /** Returns the LID of the next entry in the order of the slots, which has no end; 0 when there is none. */
    int nextInTurn() {
        int lid = 0;
        while (lid == 0 && size > 0) {
            lid = lidAt(oldHand / IndexPages.MAX_SLOTS, oldHand % IndexPages.MAX_SLOTS);
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
        lidBits = Math.max(lidBits, Integer.SIZE - Integer.numberOfLeadingZeros(lid));
        int page = pageOf(hash);
        if (lid >= 1 << lidBits(page)) {
            widen(page);
        }
        if (!hinted[page] && memory.policy().evicts()) {
            hint(page);
        }
        while (pages.size(page) >= pages.capacity(page)) {
            if (ghosts(page) * 100 > taken[page] * GHOST_PERCENT) {
                forget(page);
                continue;
            }
            try {
                grow(page, entries);
            } catch (KeyspaceFullException e) {
                if (ghosts(page) == 0) {
                    throw e;
                }
                forget(page);
            }
            page = pageOf(hash);
        }
    }

    /** Returns in how many of its slots a page remembers what was evicted. */
    private int ghosts(int page) {
        return pages.size(page) - taken[page];
    }

    private void grow(int page, Entries entries) {
        if (pages.size(page) < IndexPages.MAX_SLOTS) {
            pages.reserve(1);
            pages.resize(page, pages.unitCount(page) + 1);
        } else {
            divide(page, entries);
        }
    }

    /** Gives the slots of a page room for the largest LID. What was evicted is forgotten. */
    private void widen(int page) {
        reserveFor(page, taken[page] + 1, lidBits, hinted[page]);
        while (ghosts(page) > 0) {
            forget(page);
        }
        reshape(page, lidBits, hinted[page]);
    }

    /** Gives the slots of a page room for what {@link #victim} has to know, if there is memory for that. */
    private void hint(int page) {
        try {
            reserveFor(page, taken[page] + 1, lidBits(page), true);
        } catch (KeyspaceFullException e) {
            return;
        }
        while (ghosts(page) > 0) {
            forget(page);
        }
        reshape(page, lidBits(page), true);
    }

    private void reserveFor(int page, int slots, int width, boolean hints) {
        int units = IndexPages.unitsFor(slots, MARK_BITS + width + (hints ? HINT_BITS : 0));
        pages.reserve(Math.max(0, units - pages.unitCount(page)));
    }

    /** Gives the slots of a page, all of which have entries, another form, and room for one more. */
    private void reshape(int page, int width, boolean hints) {
        int before = lidBits(page);
        int[] values = pages.values(page);
        for (int i = 0; i < values.length; i++) {
            int lid = values[i] & ((1 << before) - 1);
            values[i] = lid | ((values[i] >>> before) << width);
        }
        int bits = MARK_BITS + width + (hints ? HINT_BITS : 0);
        pages.reshape(page, IndexPages.unitsFor(values.length + 1, bits), bits, values);
        hinted[page] = hints;
    }

    /** Forgets one of those that were evicted, of which there is one. */
    private void forget(int page) {
        int slots = pages.size(page);
        int width = lidBits(page);
        int slot = ghostHand % slots;
        while (!isGhost(pages.get(page, slot), width)) {
            slot = slot + 1 < slots ? slot + 1 : 0;
        }
        pages.remove(page, slot);
        ghostHand = slot;
    }

    /** Adds an entry that is not there, behind {@link #makeRoom}. */
    void add(long hash, int lid) {
        int page = pageOf(hash);
        int width = lidBits(page);
        int bucket = bucketOf(hash, page);
        int ghost = ghosts(page) > 0 ? ghostAt(page, bucket, ghostOf(hash, page)) : -1;
        int value = lid | (markOf(hash) << width);
        if (ghost >= 0) {
            pages.set(page, ghost, value);
        } else {
            pages.insert(page, bucket, hinted[page] ? value | young(width) : value);
            young += hinted[page] ? 1 : 0;
        }
        taken[page]++;
        size++;
    }

    /** Returns the slot of a bucket with a value; -1 when there is none. */
    private int ghostAt(int page, int bucket, int value) {
        long run = pages.run(page, bucket);
        for (int slot = (int) run; slot < (int) (run >>> Integer.SIZE); slot++) {
            if (pages.get(page, slot) == value) {
                return slot;
            }
        }
        return -1;
    }

    /**
     * Removes an entry that is there.
     *
     * @param evicted whether it is remembered, in case that its key comes back
     */
    void remove(long hash, int lid, boolean evicted) {
        int page = pageOf(hash);
        long run = pages.run(page, bucketOf(hash, page));
        for (int slot = (int) run; slot < (int) (run >>> Integer.SIZE); slot++) {
            if (lidAt(page, slot) == lid) {
                young -= isYoung(page, slot) ? 1 : 0;
                taken[page]--;
                size--;
                if (evicted) {
                    pages.set(page, slot, ghostOf(hash, page));
                } else {
                    pages.remove(page, slot);
                }
                return;
            }
        }
        throw new IllegalStateException("LID " + lid + " is not in the index");
    }

    /** Divides a page in two. What was evicted is forgotten. */
    private void divide(int page, Entries entries) {
        int before = depths[page];
        if (before == MAX_DEPTH) {
            throw new KeyspaceFullException("too many keys of a slot group have hashes that begin alike");
        }
        boolean hints = memory.policy().evicts();
        int bits = MARK_BITS + lidBits(page) + (hints ? HINT_BITS : 0);
        // As a rule the halves need as much. To look at all entries only to refuse the key would take far longer.
        pages.reserve(1);
        int[] values = entriesOf(page);
        long[] hashes = new long[values.length];
        int above = 0;
        for (int i = 0; i < values.length; i++) {
            hashes[i] = entries.hashOf(values[i] & ((1 << lidBits(page)) - 1));
            above += isAbove(hashes[i], before) ? 1 : 0;
        }
        int unitsBelow = IndexPages.unitsFor(values.length - above, bits);
        int unitsAbove = IndexPages.unitsFor(above, bits);
        pages.reserve(Math.max(0, unitsBelow + unitsAbove - pages.unitCount(page)));
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
        int width = lidBits(page);
        if (!hints) {
            withoutHints(page, values);
        }
        clear(page, unitsBelow, width, hints);
        clear(added, unitsAbove, width, hints);
        for (int i = 0; i < values.length; i++) {
            int to = isAbove(hashes[i], before) ? added : page;
            pages.insert(to, bucketOf(hashes[i], to), values[i]);
            taken[to]++;
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
            int more = page + page / 4 + 1;
            depths = Arrays.copyOf(depths, more);
            taken = Arrays.copyOf(taken, more);
            hinted = Arrays.copyOf(hinted, more);
        }
        depths[page] = (byte) pageDepth;
        return page;
    }

    private void clear(int page, int units, int width, boolean hints) {
        pages.reset(page, units, MARK_BITS + width + (hints ? HINT_BITS : 0));
        taken[page] = 0;
        hinted[page] = hints;
    }

    /** Returns the slots of a page that have an entry. */
    private int[] entriesOf(int page) {
        int width = lidBits(page);
        int[] values = new int[taken[page]];
        for (int slot = 0, i = 0; i < values.length; slot++) {
            int value = pages.get(page, slot);
            if (!isGhost(value, width)) {
                values[i++] = value;
            }
        }
        return values;
    }

    /** Takes the bits of hinted pages away from slots of a page. */
    private void withoutHints(int page, int[] values) {
        int width = lidBits(page);
        for (int i = 0; hinted[page] && i < values.length; i++) {
            young -= (values[i] & young(width)) == 0 ? 0 : 1;
            values[i] &= used(width) - 1;
        }
    }

    private int pageOf(long hash) {
        return directory[depth == 0 ? 0 : (int) (hash >>> (Long.SIZE - depth))];
    }

    private int bucketOf(long hash, int page) {
        return (int) ((hash << depths[page]) >>> BUCKET_SHIFT);
    }

    /** Returns how many bits a LID has in the slots of a page. */
    private int lidBits(int page) {
        return pages.bits(page) - MARK_BITS - (hinted[page] ? HINT_BITS : 0);
    }

    private static int used(int width) {
        return 1 << (width + MARK_BITS);
    }

    private static int young(int width) {
        return 2 << (width + MARK_BITS);
    }

    /** Returns the mark of an entry, from 0 to 6. */
    private static int markOf(long hash) {
        return ((int) (hash & 0xff) * GHOST) >>> Byte.SIZE;
    }

    /** Returns what remembers an entry that was evicted. */
    private int ghostOf(long hash, int page) {
        int width = lidBits(page);
        int all = (1 << pages.bits(page)) - 1;
        return ((int) (hash >>> Byte.SIZE) & all) | (GHOST << width);
    }

    private static boolean isGhost(int value, int width) {
        return ((value >>> width) & GHOST) == GHOST;
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
            for (int slot = 0; slot < pages.size(page); slot++) {
                int lid = lidAt(page, slot);
                if (lid != 0) {
                    entriesHere++;
                    allYoung += isYoung(page, slot) ? 1 : 0;
                    verifySlot(page, slot, entries.hashOf(lid));
                }
            }
            require(entriesHere == taken[page], "(4) count of page " + page);
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
        int bucket = pages.bucketOf(page, slot);
        require(bucket == bucketOf(hash, page), "(2) slot " + slot + " of page " + page + " is in bucket " + bucket);
        int mark = (pages.get(page, slot) >>> lidBits(page)) & GHOST;
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
