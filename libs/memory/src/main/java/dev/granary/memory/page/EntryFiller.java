package dev.granary.memory.page;

import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.os.LongList;
import java.util.function.LongConsumer;

/** Places new chunks in pages of entries: each gets a block of its own. Under the stripe's lock. */
public final class EntryFiller extends PageFiller {

    /** Listed pages of which the last is taken next. */
    private LongList listed = new LongList();

    /** Listed, too, and taken when the others are used up: so each page has its turn. */
    private LongList listedLast = new LongList();

    private int cursor;

    EntryFiller(Space space, Stripe stripe) {
        super(space, stripe);
    }

    Outcome place(int sizeBytes, Slot to) {
        // The block before the page: a chunk that is too large leaves nothing behind.
        long entry = stripe.allocateChunk(vmb, sizeBytes);
        if (entry == EntryLayout.NO_CHUNK) {
            return Outcome.NO_MEMORY;
        }
        int index = take(true);
        if (index < 0) {
            stripe.freeChunk(entry, sizeBytes);
            return stripe.lastFailure();
        }
        cursor = index + 1;
        to.set(open(), index, entry, Chunks.payloadOf(entry, sizeBytes));
        return Outcome.DONE;
    }

    /** Finds a LID for a chunk whose block there is already. */
    public Outcome placeBlock(long block, int sizeBytes, Slot to) {
        int index = take(true);
        if (index < 0) {
            return stripe.lastFailure();
        }
        Chunks.writeLength(vmb, block, sizeBytes);
        cursor = index + 1;
        to.set(open(), index, EntryLayout.entry(block, sizeBytes), Chunks.payload(block, sizeBytes));
        return Outcome.DONE;
    }

    long heapBytes() {
        return listed.heapBytes() + listedLast.heapBytes();
    }

    @Override
    int nextFree(long page, long number, boolean whole) {
        long table = Page.base(vmb.getAcquire(page));
        for (int i = cursor; i < Page.SLOTS; i++) {
            if (vmb.getAcquire(table + (long) i * EntryLayout.BYTES) == EntryLayout.NO_CHUNK
                    && (whole || (space.numbers.usable(number, i >>> 6) & Meta.bit(i)) != 0)) {
                return i;
            }
        }
        // Of an open-ended page the next call looks at the same slots again.
        return -1;
    }

    @Override
    void begin(long page) {
        cursor = 0;
    }

    @Override
    boolean make(long page) {
        return PageMaker.makeEntries(space, stripe, page, stripe.id);
    }

    @Override
    boolean hasListed() {
        return listed.size() + listedLast.size() > 0;
    }

    @Override
    public void push(long page) {
        listed.add(page);
        mark(page);
    }

    @Override
    void pushLast(long page) {
        listedLast.add(page);
        mark(page);
    }

    @Override
    public void unlist(long page) {
        throw new IllegalStateException("pages of entries stay what they are");
    }

    @Override
    void forEachListed(LongConsumer visitor) {
        for (LongList list : new LongList[] {listed, listedLast}) {
            for (int i = 0; i < list.size(); i++) {
                visitor.accept(list.get(i));
            }
        }
    }

    @Override
    long pop() {
        if (listed.size() == 0) {
            LongList used = listed;
            listed = listedLast;
            listedLast = used;
        }
        long page = listed.removeLast();
        vmb.setRelease(page + Page.STATE, vmb.getAcquire(page + Page.STATE) & ~Page.LISTED);
        return page;
    }

    private void mark(long page) {
        vmb.setRelease(page + Page.STATE, vmb.getAcquire(page + Page.STATE) | Page.LISTED);
    }
}
