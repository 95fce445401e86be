package dev.granary.memory.page;

import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Padded;
import dev.granary.memory.os.Vmb;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The pages of one kind in which a stripe creates chunks: one that is open, and others with free LIDs. A page is closed
 * when no free LID is left in it; it is listed again when a chunk in it is deleted. Under the stripe's lock.
 *
 * <p>A thread that fills a slot without the stripe's lock holds the page's latch, shared. Slots that were given are not
 * given again while a page is open, and a page is opened only when no thread holds its latch; so no slot is given
 * twice.
 */
public abstract class PageFiller extends Padded {

    /** Looked at before a page is made: they may be latched. */
    private static final int TRIES = 2;

    final Space space;
    final Vmb vmb;
    final Stripe stripe;
    private long open;

    PageFiller(Space space, Stripe stripe) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripe = stripe;
    }

    /** The directory entry of the open page, or 0. */
    final long open() {
        return open;
    }

    /**
     * Takes a free slot in the open page, or opens another one for it.
     *
     * @param mayMake whether a new page may be made for it
     * @return its index, or -1 if there is none; {@link Stripe#lastFailure} says why
     */
    final int take(boolean mayMake) {
        int index = find(mayMake);
        if (index >= 0) {
            // Before anybody can learn of the chunk: who has heard of it must find its LID below the mark.
            space.numbers.given(Page.number(vmb.getAcquire(open + Page.NUMBER)));
        }
        return index;
    }

    private int find(boolean mayMake) {
        long firstInVain = 0;
        while (true) {
            if (open == 0 && !openNext(mayMake)) {
                return -1;
            }
            long number = Page.number(vmb.getAcquire(open + Page.NUMBER));
            int index = nextFree(open, number, space.numbers.isWhole(number));
            if (index >= 0) {
                return index;
            }
            if (space.numbers.isOpenEnded(number) && !hasListed()) {
                // More of its LIDs may be given later: it stays open unless there is another page.
                long page = mayMake ? makeLatched() : 0;
                if (page == 0) {
                    return again(number);
                }
                push(page);
            } else if (open == firstInVain) {
                // All that are listed have free LIDs that may not be given.
                long page = mayMake ? makeLatched() : 0;
                if (page == 0) {
                    return -1;
                }
                closeOpen();
                setOpen(page);
                continue;
            }
            long closed = open;
            closeOpen();
            if (firstInVain == 0 && (vmb.getAcquire(closed + Page.STATE) & Page.LISTED) != 0) {
                firstInVain = closed;
            }
        }
    }

    /** Looks at an open-ended page again from its start: there may be slots that were freed. */
    private int again(long number) {
        if (Page.live(vmb.getAcquire(open + Page.STATE)) >= space.numbers.usableNow(number) || !stripe.isIdle(open)) {
            return -1;
        }
        begin(open);
        return nextFree(open, number, false);
    }

    /** Ends creating in a page, if it is the open one. */
    final void close(long page) {
        if (page == open) {
            closeOpen();
        }
    }

    /** A free slot of a page behind those given since it was opened, or -1. Looks for usable LIDs only unless whole. */
    abstract int nextFree(long page, long number, boolean whole);

    /** Forgets what is known of the page that was open. */
    abstract void begin(long page);

    /** What is left to do in a page in which nothing is created any more. */
    void end(long page) {}

    /** Makes a page of this kind out of an empty one that is latched. Returns false if there is no room. */
    abstract boolean make(long page);

    abstract boolean hasListed();

    /** Adds a page that has free LIDs, is not open and not listed. */
    public abstract void push(long page);

    /** Takes a page out of the list. */
    public abstract void unlist(long page);

    /** Takes some page from the list. */
    abstract long pop();

    /** Puts a page back that was just taken, behind the others. */
    abstract void pushLast(long page);

    /** Checks the pages that are open or listed here. */
    final void verify(List<String> violations) {
        if (open != 0 && (vmb.getAcquire(open + Page.STATE) & (Page.OPEN | Page.LISTED)) != Page.OPEN) {
            violations.add("an open page of stripe %d does not say so".formatted(stripe.id));
        }
        // It may be full: an insert of a certain CID took the last free LID. That is noticed when it is opened.
        forEachListed(page -> {
            long state = vmb.getAcquire(page + Page.STATE);
            if ((state & (Page.OPEN | Page.LISTED)) != Page.LISTED
                    || Page.owner(state) != stripe.id
                    || stripe.fillerOf(page) != this) {
                violations.add("a page that stripe %d lists has the state %x".formatted(stripe.id, state));
            }
        });
    }

    abstract void forEachListed(LongConsumer visitor);

    private void closeOpen() {
        long page = open;
        open = 0;
        end(page);
        long state = vmb.getAcquire(page + Page.STATE) & ~Page.OPEN;
        long dead = space.sparse.deadBytes(page);
        vmb.setRelease(page + Page.STATE, state);
        space.sparse.changed(page, dead);
        if (Page.live(state) < space.numbers.slots(Page.number(vmb.getAcquire(page + Page.NUMBER)))) {
            // Slots were freed behind the last one given, or are still being filled.
            pushLast(page);
        }
    }

    private boolean openNext(boolean mayMake) {
        for (int i = 0; i < TRIES && hasListed(); i++) {
            long page = pop();
            if (stripe.isIdle(page)) {
                setOpen(page);
                return true;
            }
            pushLast(page);
        }
        long page = mayMake ? makeLatched() : 0;
        if (page == 0) {
            return false;
        }
        setOpen(page);
        return true;
    }

    private void setOpen(long page) {
        open = page;
        long dead = space.sparse.deadBytes(page);
        vmb.setRelease(page + Page.STATE, vmb.getAcquire(page + Page.STATE) | Page.OPEN);
        space.sparse.changed(page, dead);
        begin(page);
    }

    private long makeLatched() {
        long page = stripe.takeEmptyPage();
        if (page == 0) {
            return 0;
        }
        boolean made = false;
        try {
            made = make(page);
        } finally {
            Latch.unlockExclusive(vmb, page + Page.LATCH);
            if (!made) {
                stripe.giveEmptyPageBack(page);
            }
        }
        return made ? page : 0;
    }
}
