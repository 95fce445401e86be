package dev.granary.memory.page;

import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.Segments;
import dev.granary.memory.os.Vmb;

/**
 * Keeps by segment what defragmentation looks at in pages: the slots without chunks in sparse typed pages, which would
 * be free if these were packed, and what cannot move. Code that changes a page reports it here, so that no walk over
 * all pages is needed to find out whether there is anything to do (ADR 0214).
 *
 * <p>Under the lock of the page's owner, or while nobody else knows the page.
 * The figures themselves are in {@link Segments}.
 */
public final class SparsePages {

    /** What a packed page takes beside its chunks: headers and markers of groups, the larger meta block. */
    static final int PACKED_EXTRA_BYTES =
            Group.PER_PAGE * (Group.CODES + Group.LIDS + 1) + Meta.PACKED_BYTES - Meta.TYPED_BYTES;

    private final Vmb vmb;
    private final Extents extents;
    private final Segments segments;

    SparsePages(Vmb vmb, Extents extents) {
        this.vmb = vmb;
        this.extents = extents;
        this.segments = extents.segments();
    }

    /** Whether a typed page is much larger than its chunks would be if packed. */
    public static boolean isSparse(long form, long state) {
        int stride = Page.stride(form);
        long packedBytes = (long) Page.live(state) * stride + PACKED_EXTRA_BYTES;
        return (state & Page.OPEN) == 0 && packedBytes * 5 < Space.typedBytes(stride) * 4;
    }

    /** The bytes of slots without chunks, if it is a sparse typed page in which no chunk is pinned, else 0. */
    public static long deadBytes(long form, long state, long number) {
        return Page.kind(form) == Page.TYPED && Page.pins(number) == 0 && isSparse(form, state)
                ? (long) (Page.SLOTS - Page.live(state)) * Page.stride(form)
                : 0;
    }

    /** Whether the slots of a page cannot move. */
    static boolean isFixed(long form, long number) {
        return Page.kind(form) == Page.TYPED && Page.pins(number) != 0;
    }

    /** The same of a page as it is now. */
    public long deadBytes(long page) {
        long form = vmb.getAcquire(page);
        return Page.kind(form) == Page.TYPED
                ? deadBytes(form, vmb.getAcquire(page + Page.STATE), vmb.getAcquire(page + Page.NUMBER))
                : 0;
    }

    /**
     * The count of chunks in a page, or its flag of an open page, has changed.
     *
     * @param deadBefore what {@link #deadBytes(long)} said before
     */
    public void changed(long page, long deadBefore) {
        long more = deadBytes(page) - deadBefore;
        if (more != 0) {
            segments.addDead(segmentOf(page), more);
        }
    }

    /** A page is as it is from now on: after its form or its pins, or many at once, were changed. */
    public void enter(long page) {
        count(page, 1);
    }

    /** A page is no longer as it is: before these are changed. */
    public void leave(long page) {
        count(page, -1);
    }

    /** A node of a table was made at an address: it never moves. */
    void fix(long node) {
        segments.addFixed(extents.segmentOf(node), 1);
    }

    private void count(long page, int sign) {
        long form = vmb.getAcquire(page);
        if (isFixed(form, vmb.getAcquire(page + Page.NUMBER))) {
            segments.addFixed(segmentOf(page), sign);
        } else {
            long dead = deadBytes(page);
            if (dead != 0) {
                segments.addDead(segmentOf(page), sign * dead);
            }
        }
    }

    private int segmentOf(long page) {
        return extents.segmentOf(Page.base(vmb.getAcquire(page)));
    }
}
