package dev.granary.memory.page;

import dev.granary.memory.os.Vmb;

/**
 * Pages with free LIDs, linked through their meta blocks. Under the owner's lock.
 */
final class PageList {

    private final Vmb vmb;
    private long first;
    private long last;

    PageList(Vmb vmb) {
        this.vmb = vmb;
    }

    /** The directory entry of the first page, or 0. */
    long first() {
        return first;
    }

    /** Adds a page that is not listed, before the others. */
    void addFirst(long page) {
        link(page, 0, first);
    }

    /** Adds a page that is not listed, behind the others. */
    void addLast(long page) {
        link(page, last, 0);
    }

    /** Takes a page out that is listed here. */
    void remove(long page) {
        long meta = meta(page);
        long next = vmb.getAcquire(meta + Meta.NEXT);
        long previous = vmb.getAcquire(meta + Meta.PREVIOUS);
        setNext(previous, next);
        setPrevious(next, previous);
        vmb.setRelease(page + Page.STATE, vmb.getAcquire(page + Page.STATE) & ~Page.LISTED);
    }

    private void link(long page, long previous, long next) {
        long meta = meta(page);
        vmb.setRelease(meta + Meta.NEXT, next);
        vmb.setRelease(meta + Meta.PREVIOUS, previous);
        setNext(previous, page);
        setPrevious(next, page);
        vmb.setRelease(page + Page.STATE, vmb.getAcquire(page + Page.STATE) | Page.LISTED);
    }

    private void setNext(long page, long next) {
        if (page == 0) {
            first = next;
        } else {
            vmb.setRelease(meta(page) + Meta.NEXT, next);
        }
    }

    private void setPrevious(long page, long previous) {
        if (page == 0) {
            last = previous;
        } else {
            vmb.setRelease(meta(page) + Meta.PREVIOUS, previous);
        }
    }

    /** The page behind one in the list, or 0. */
    long next(long page) {
        return vmb.getAcquire(meta(page) + Meta.NEXT);
    }

    private long meta(long page) {
        return Page.meta(vmb.getAcquire(page + Page.STATE));
    }
}
