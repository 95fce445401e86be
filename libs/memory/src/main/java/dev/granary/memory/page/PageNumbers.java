package dev.granary.memory.page;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Hands out the numbers of own pages that never held a chunk, and knows which LIDs may be given. Thread-safe.
 */
public final class PageNumbers {

    /** Instead of a number: there is none left. */
    public static final long NONE = -1;

    public static final long PARTIAL = -2;

    private final long firstLid;
    private final AtomicLong next;

    /** One above the highest number of a page in which chunks were created before it was handed out, or 0. */
    private final AtomicLong aheadEnd = new AtomicLong();

    private final AtomicLong endLid;

    PageNumbers(long firstLid) {
        this.firstLid = firstLid;
        this.next = new AtomicLong(firstLid >>> Page.SLOT_BITS);
        this.endLid = new AtomicLong(firstLid);
    }

    public void reserve(long endExclusive) {
        endLid.accumulateAndGet(endExclusive, Math::max);
    }

    /** The lowest number that was never handed out. */
    public long next() {
        return next.get();
    }

    /** Continues where a memory was dumped: numbers below are not handed out again, LIDs below may be given. */
    public void restore(long nextNumber, long endLidExclusive) {
        next.accumulateAndGet(nextNumber, Math::max);
        reserve(endLidExclusive);
    }

    /** Takes over a page of the dump that has chunks. They may have been created there without taking its number. */
    public void restorePage(long number) {
        if (usableNow(number) > 0) {
            given(number);
        }
    }

    public long firstLid() {
        return firstLid;
    }

    /** The lowest LID that may not be given. */
    public long endLid() {
        return endLid.get();
    }

    /**
     * Notes that chunks may be created in a page from now on. Its number need not have been handed out: inserted chunks
     * have made the page, and it has free LIDs. So it is with the page of the first LID when chunks come back that an
     * earlier incarnation of the peer created.
     */
    void given(long number) {
        if (number >= next.get() && number >= aheadEnd.get()) {
            aheadEnd.accumulateAndGet(number + 1, Math::max);
        }
    }

    /** The lowest LID of which none from there on has been given. */
    public long lidMark() {
        long pages = Math.max(next.get(), aheadEnd.get());
        return Math.max(firstLid, Math.min(pages << Page.SLOT_BITS, endLid.get()));
    }

    /** Takes the next number, or {@link #NONE} if its page has no LID that may be given. */
    public long take() {
        while (true) {
            long number = next.get();
            if (number << Page.SLOT_BITS >= endLid.get()) {
                return NONE;
            }
            if (next.compareAndSet(number, number + 1)) {
                return number;
            }
        }
    }

    /**
     * Takes all numbers up to the end of a leaf of the page table.
     *
     * @return the first, or {@link #NONE} if some of their LIDs may not be given
     */
    long takeLeaf() {
        while (true) {
            long number = next.get();
            long end = (number | (PageTable.LEAF_PAGES - 1)) + 1;
            if (number << Page.SLOT_BITS < firstLid || end << Page.SLOT_BITS > endLid.get()) {
                return NONE;
            }
            if (next.compareAndSet(number, end)) {
                return number;
            }
        }
    }

    /**
     * Takes consecutive numbers.
     *
     * @param lids how many LIDs from the first one's start on are needed
     * @return the first, {@link #NONE} if these LIDs may not all be given, or {@link #PARTIAL} if the next page has
     *     only some that ever may: take that one alone first
     */
    public long takeRun(int count, int lids) {
        while (true) {
            long number = next.get();
            if (number << Page.SLOT_BITS < firstLid) {
                return PARTIAL;
            }
            if ((number << Page.SLOT_BITS) + lids > endLid.get()) {
                return NONE;
            }
            if (next.compareAndSet(number, number + count)) {
                return number;
            }
        }
    }

    /** How many LIDs of a page may ever be given. */
    public int slots(long number) {
        return (int) Math.min(Page.SLOTS, ((number + 1) << Page.SLOT_BITS) - firstLid);
    }

    /** How many LIDs of a page may be given now. */
    long usableNow(long number) {
        long first = Math.max(number << Page.SLOT_BITS, firstLid);
        return Math.max(0, Math.min((number + 1) << Page.SLOT_BITS, endLid.get()) - first);
    }

    /** Whether a page has LIDs that may not be given yet. */
    boolean isOpenEnded(long number) {
        return (number + 1) << Page.SLOT_BITS > endLid.get();
    }

    /** Whether all LIDs of a page may be given. */
    boolean isWhole(long number) {
        long first = number << Page.SLOT_BITS;
        return first >= firstLid && first + Page.SLOTS <= endLid.get();
    }

    /** Those of 64 LIDs that may be given, as bits. */
    long usable(long number, int word) {
        long first = (number << Page.SLOT_BITS) + ((long) word << 6);
        return from(firstLid - first) & ~from(endLid.get() - first);
    }

    /** The bits from an index on. */
    private static long from(long index) {
        return index <= 0 ? -1L : index >= 64 ? 0 : -1L << index;
    }
}
