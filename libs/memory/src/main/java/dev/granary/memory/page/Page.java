package dev.granary.memory.page;

import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;

/**
 * A page: 512 consecutive LIDs, and the directory entry that says where their chunks are (ADR 0090).
 *
 * <pre>
 *     0 +---------------------------------------------------------+
 *       | form     kind, base, stride or band                     |
 *     8 +---------------------------------------------------------+
 *       | latch    see {@link Latch}                              |
 *    16 +---------------------------------------------------------+
 *       : the other 63 of the leaf                                :
 *  1024 +---------------------------------------------------------+
 *       | state    meta block, live chunks, owner, flags          |
 *  1032 +---------------------------------------------------------+
 *       | number   LID of slot 0 / 512 (39 bits), pinned chunks (16) |
 *  1040 +---------------------------------------------------------+
 *
 *  form    63 61  60 ....... 57  56        55        54 ...... 43  42 ............ 0
 *         +------+--------------+---------+---------+-------------+-----------------+
 *         | kind | 0            | forward | allLive | stride/band | base            |
 *         +------+--------------+---------+---------+-------------+-----------------+
 *  kind     0     none: no chunk; the rest is 0
 *           1     entries: base of 512 words of {@link EntryLayout}
 *           2     typed: slot i is at base + i * stride and has exactly that size
 *           3     packed: base is the meta block, which has the words of 8 groups; see {@link Group}
 *  forward  typed only: some slot holds a word of {@link EntryLayout} instead of a chunk; see the meta block
 *  allLive  typed only: all 512 slots hold chunks, none is forwarded
 *
 *  state   63     62       61         60 ... 53  52 ........ 43  42 ............ 0
 *         +------+--------+----------+----------+---------------+-----------------+
 *         | open | listed | extended | owner    | live chunks   | meta block      |
 *         +------+--------+----------+----------+---------------+-----------------+
 *  owner    the stripe that creates chunks here
 *  open     it does so now; a page that is open is not listed
 *  listed   the owner knows that there are free LIDs here
 *  extended the meta block has bitmaps of forwards and of read-only chunks
 * </pre>
 *
 * The form changes only under the page's exclusive latch <em>and</em> its owner's lock, allLive also under the lock
 * alone; the state only under the lock. A reader that validates the latch therefore saw one form.
 */
public final class Page {

    public static final int SLOT_BITS = 9;
    public static final int SLOTS = 1 << SLOT_BITS;
    static final int SLOT_MASK = SLOTS - 1;

    /**
     * What of a directory entry readers need. The halves of a leaf's entries lie apart: that many more stay in caches.
     */
    public static final int BYTES = 16;

    public static final int FORM = 0;
    public static final int LATCH = 8;
    public static final int STATE = PageTable.LEAF_PAGES * BYTES;
    public static final int NUMBER = STATE + 8;

    public static final int NONE = 0;
    public static final int ENTRIES = 1;
    public static final int TYPED = 2;
    public static final int PACKED = 3;

    public static final long ALL_LIVE = 1L << 55;
    public static final long HAS_FORWARDS = 1L << 56;

    public static final long OPEN = 1L << 63;
    public static final long LISTED = 1L << 62;
    public static final long EXTENDED = 1L << 61;

    /** One chunk in the state's count. */
    public static final long ONE_LIVE = 1L << 43;

    /** One pinned chunk in the number word. */
    static final long ONE_PIN = 1L << 48;

    private static final int KIND_SHIFT = 61;
    private static final int STRIDE_SHIFT = 43;
    private static final int STRIDE_MASK = 0xfff;
    private static final int COUNT_MASK = 0x3ff;
    private static final int OWNER_SHIFT = 53;
    private static final int OWNER_MASK = 0xff;
    private static final int PINS_SHIFT = 48;
    private static final long NUMBER_MASK = ONE_PIN - 1;

    private Page() {}

    public static long form(int kind, long base, int strideOrBand) {
        return (long) kind << KIND_SHIFT | (long) strideOrBand << STRIDE_SHIFT | base;
    }

    public static int kind(long form) {
        return (int) (form >>> KIND_SHIFT);
    }

    public static long base(long form) {
        return form & EntryLayout.ADDRESS_MASK;
    }

    /** The slots' size of a typed page, the band of a packed one. */
    public static int stride(long form) {
        return (int) (form >>> STRIDE_SHIFT) & STRIDE_MASK;
    }

    public static long state(long meta, int owner) {
        return meta | (long) owner << OWNER_SHIFT;
    }

    public static long meta(long state) {
        return state & EntryLayout.ADDRESS_MASK;
    }

    public static int live(long state) {
        return (int) (state >>> STRIDE_SHIFT) & COUNT_MASK;
    }

    public static int owner(long state) {
        return (int) (state >>> OWNER_SHIFT) & OWNER_MASK;
    }

    public static long number(long word) {
        return word & NUMBER_MASK;
    }

    static int pins(long word) {
        return (int) (word >>> PINS_SHIFT);
    }

    public static int slot(long lid) {
        return (int) lid & SLOT_MASK;
    }
}
