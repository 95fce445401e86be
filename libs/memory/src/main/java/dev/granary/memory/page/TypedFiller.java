package dev.granary.memory.page;

import dev.granary.memory.arena.EntryLayout;
import java.util.function.LongConsumer;

/** Places new chunks of one size in typed pages. Under the stripe's lock. */
public final class TypedFiller extends PageFiller {

    /** Slots have at least the bytes of a forward. */
    public static final int MIN_STRIDE = EntryLayout.BYTES;

    /** Larger chunks gain little from a page of their own size (ADR 0090). */
    public static final int MAX_STRIDE = 256;

    /**
     * A stripe makes typed pages for a size once it has this number times the size of chunks. The last page of a size
     * is half empty on average, which then costs less than two bytes a chunk.
     */
    private static final int LIVE_NEEDED = 128;

    private static final int MOST_LOST_BYTES = 2;

    private final int stride;
    private final PageList listed;
    private int cursor;

    TypedFiller(Space space, Stripe stripe, int stride) {
        super(space, stripe);
        this.stride = stride;
        this.listed = new PageList(space.vmb);
    }

    /**
     * The largest size for which typed pages are worth it: at the end of an extent there is less than a page left over,
     * which by chunk must not cost more than the {@value #MOST_LOST_BYTES} bytes that a packed one takes.
     */
    static int maxStride(long extentBytes) {
        return (int) Math.min(MAX_STRIDE, Math.sqrt((double) extentBytes * MOST_LOST_BYTES / Page.SLOTS));
    }

    /** How many chunks of a size a stripe must have before it makes typed pages for it. */
    public static int liveNeeded(int sizeBytes) {
        return LIVE_NEEDED * sizeBytes;
    }

    /**
     * Finds a slot.
     *
     * @param mayMake whether a new page may be made for it
     * @return false if there is neither a page with a free slot nor room for one
     */
    boolean place(Slot to, boolean mayMake) {
        int index = take(mayMake);
        if (index < 0) {
            return false;
        }
        cursor = index + 1;
        long base = Page.base(vmb.getAcquire(open()));
        to.set(open(), index, 0, base + (long) index * stride);
        return true;
    }

    @Override
    int nextFree(long page, long number, boolean whole) {
        long live = Page.meta(vmb.getAcquire(page + Page.STATE));
        int word = cursor >>> 6;
        long mask = -1L << cursor;
        for (; word < Meta.WORDS && cursor < Page.SLOTS; word++) {
            long free = ~vmb.getAcquire(live + 8L * word) & mask;
            if (!whole) {
                free &= space.numbers.usable(number, word);
            }
            if (free != 0) {
                return (word << 6) + Long.numberOfTrailingZeros(free);
            }
            mask = -1L;
        }
        return -1;
    }

    @Override
    void begin(long page) {
        cursor = 0;
    }

    @Override
    boolean make(long page) {
        return PageMaker.makeTyped(space, stripe, page, stride, stripe.id);
    }

    @Override
    boolean hasListed() {
        return listed.first() != 0;
    }

    @Override
    public void push(long page) {
        listed.addFirst(page);
    }

    @Override
    void pushLast(long page) {
        listed.addLast(page);
    }

    @Override
    public void unlist(long page) {
        listed.remove(page);
    }

    @Override
    void forEachListed(LongConsumer visitor) {
        for (long page = listed.first(); page != 0; page = listed.next(page)) {
            visitor.accept(page);
        }
    }

    @Override
    long pop() {
        long page = listed.first();
        listed.remove(page);
        return page;
    }
}
