package dev.granary.memory.page;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.os.Vmb;

/**
 * Fills pages that hold no chunk with many at once: typed where all sizes are the same and hardly a slot stays free,
 * packed otherwise, each group with just the room that it needs. Under the page's exclusive latch.
 */
public final class NewPages {

    /** What free slots of a typed page may take for each chunk: about as much as a packed one takes. */
    private static final int MOST_LOST_BYTES = 2;

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;

    public NewPages(Space space, Stripes stripes) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
    }

    /**
     * Makes the page and its groups.
     *
     * @param slots of the chunks, ascending, from an index on
     * @param sizesBytes of the chunks, from an index on
     * @return false, and nothing is changed, if there is no room
     */
    public boolean make(
            long page, int[] slots, int firstSlot, int[] sizesBytes, int firstSize, int count, Stripe owner) {
        if (space.layout == MemoryLayout.CLASSIC) {
            return PageMaker.makeEntries(space, stripes, page, owner.id);
        }
        int size = sizesBytes[firstSize];
        boolean typed = owner.suitsTyped(size) && (Page.SLOTS - count) * size <= MOST_LOST_BYTES * count;
        for (int i = 1; typed && i < count; i++) {
            typed = sizesBytes[firstSize + i] == size;
        }
        if (typed) {
            return PageMaker.makeTyped(space, stripes, page, size, owner.id);
        }
        if (!PageMaker.makePacked(space, stripes, page, PackedFiller.bandOf(size), owner.id)) {
            return false;
        }
        long meta = Page.base(vmb.getAcquire(page));
        for (int from = 0, to; from < count; from = to) {
            int group = slots[firstSlot + from] >>> Group.SHIFT;
            to = from + 1;
            while (to < count && slots[firstSlot + to] >>> Group.SHIFT == group) {
                to++;
            }
            long word = makeGroup(sizesBytes, firstSize + from, firstSize + to);
            if (word == 0) {
                PageMaker.unmake(space, stripes, page);
                return false;
            }
            vmb.setRelease(meta + Meta.GROUPS + 8L * group, word);
        }
        return true;
    }

    private long makeGroup(int[] sizesBytes, int from, int to) {
        int minimum = Group.MAX_SIZE;
        int maximum = 0;
        int capacity = 0;
        for (int i = from; i < to; i++) {
            boolean packed = sizesBytes[i] <= Group.MAX_SIZE;
            minimum = packed ? Math.min(minimum, sizesBytes[i]) : minimum;
            maximum = packed ? Math.max(maximum, sizesBytes[i]) : maximum;
            capacity += packed ? sizesBytes[i] : EntryLayout.BYTES;
        }
        boolean wide = maximum - minimum >= Group.BAND;
        return space.groupBlocks.make(stripes, wide, wide ? 0 : minimum, capacity);
    }

    /**
     * Finds the place of a chunk in a page that was made for it. Ascending by slot.
     *
     * @return where its bytes go, or 0 if there is no room for one that does not lie in the page itself
     */
    public long place(long page, int slot, int sizeBytes) {
        long form = vmb.getAcquire(page);
        if (Page.kind(form) == Page.TYPED) {
            return Page.base(form) + (long) slot * Page.stride(form);
        }
        boolean forward = Page.kind(form) == Page.ENTRIES || sizeBytes > Group.MAX_SIZE;
        long entry = forward ? stripes.allocateChunk(vmb, sizeBytes) : EntryLayout.NO_CHUNK;
        if (forward && entry == EntryLayout.NO_CHUNK) {
            return 0;
        }
        if (Page.kind(form) == Page.ENTRIES) {
            vmb.setRelease(Page.base(form) + (long) slot * EntryLayout.BYTES, entry);
            return Chunks.payloadOf(entry, sizeBytes);
        }
        long word = vmb.getAcquire(Page.base(form) + Meta.GROUPS + ((long) slot >>> Group.SHIFT << 3));
        int code = forward ? Group.forwardCode(word) : Group.codeOf(word, sizeBytes);
        long payload = space.groups.setCode(word, slot & (Group.LIDS - 1), code);
        if (!forward) {
            return payload;
        }
        vmb.setLong(payload, entry);
        return Chunks.payloadOf(entry, sizeBytes);
    }

    /** Makes the chunks known that were filled. */
    public void publish(
            long page, int[] slots, int firstSlot, int[] sizesBytes, int firstSize, int count, Stripe owner) {
        owner.lock.lock();
        try {
            space.sparse.leave(page);
            Slot slot = new Slot();
            for (int i = 0; i < count; i++) {
                int index = slots[firstSlot + i];
                slot.set(page, index, entryOf(page, index), 0);
                owner.publish(slot, sizesBytes[firstSize + i]);
            }
            space.sparse.enter(page);
        } finally {
            owner.lock.unlock();
        }
    }

    private long entryOf(long page, int index) {
        long form = vmb.getAcquire(page);
        return Page.kind(form) == Page.ENTRIES
                ? vmb.getAcquire(Page.base(form) + (long) index * EntryLayout.BYTES)
                : EntryLayout.NO_CHUNK;
    }
}
