package dev.granary.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Makes chunks of any sizes with consecutive LIDs, in pages that never held a chunk: typed where all sizes of a page are
 * the same, packed otherwise, each group with just the room that it needs. Sizes and bounds have been checked.
 * Thread-safe.
 */
final class ConsecutiveCreation {

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final Removal removal;
    private final Reclaimer reclaimer;

    ConsecutiveCreation(Space space, Stripes stripes, Removal removal, Reclaimer reclaimer) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
        this.removal = removal;
        this.reclaimer = reclaimer;
    }

    /** What a batch consists of. */
    private static final class Batch {

        private final int count;
        private final int[] sizesBytes;
        private final @Nullable MemorySegment source;

        Batch(int count, int[] sizesBytes, @Nullable MemorySegment source) {
            this.count = count;
            this.sizesBytes = sizesBytes;
            this.source = source;
        }

        int chunksOf(int page) {
            return Math.min(Page.SLOTS, count - page * Page.SLOTS);
        }
    }

    /**
     * Creates the chunks, all or none.
     *
     * @return the first LID
     */
    long create(int count, int[] sizesBytes, @Nullable MemorySegment source, long offset) {
        Batch batch = new Batch(count, sizesBytes, source);
        int pages = (count + Page.SLOTS - 1) >>> Page.SLOT_BITS;
        long first = space.numbers.takeRun(pages, count);
        while (first == PageNumbers.PARTIAL) {
            long partial = space.numbers.take();
            if (partial != PageNumbers.NONE) {
                stripes.giveNumberBack(partial);
            }
            first = space.numbers.takeRun(pages, count);
        }
        if (first == PageNumbers.NONE) {
            throw new LidsExhaustedException(space.numbers.endLid());
        }
        int made = 0;
        boolean done = false;
        try {
            long from = offset;
            while (made < pages) {
                from += createPage(batch, first + made, made, from);
                made++;
            }
            done = true;
        } finally {
            if (!done) {
                undo(batch, first, made, pages);
            }
        }
        return first << Page.SLOT_BITS;
    }

    /** Returns how many bytes of the source went into the page. */
    private long createPage(Batch batch, long number, int index, long offset) {
        Stripe owner = stripes.lockAny();
        owner.lock.unlock();
        for (boolean again = false; ; again = true) {
            long page = stripes.findOrMakePage((long) space.nid << 48 | number << Page.SLOT_BITS);
            if (page != 0) {
                Latch.lockExclusive(vmb, page + Page.LATCH);
                try {
                    if (make(batch, page, index, owner.id)) {
                        return fill(batch, page, index, offset, owner);
                    }
                } finally {
                    Latch.unlockExclusive(vmb, page + Page.LATCH);
                }
            }
            if (again || !reclaimer.reclaim(Space.typedBytes(1))) {
                throw new OutOfChunkMemoryException(Space.typedBytes(1), vmb.capacityBytes());
            }
        }
    }

    /** Makes the page and its groups. Returns false, and changes nothing, if there is no room. */
    private boolean make(Batch batch, long page, int index, int owner) {
        int first = index * Page.SLOTS;
        int chunks = batch.chunksOf(index);
        int size = batch.sizesBytes[first];
        boolean same = chunks == Page.SLOTS && stripes.get(owner).suitsTyped(size);
        for (int i = 1; same && i < chunks; i++) {
            same = batch.sizesBytes[first + i] == size;
        }
        if (space.layout == MemoryLayout.CLASSIC) {
            return PageMaker.makeEntries(space, stripes, page, owner);
        }
        if (same) {
            return PageMaker.makeTyped(space, stripes, page, size, owner);
        }
        if (!PageMaker.makePacked(space, stripes, page, PackedFiller.bandOf(size), owner)) {
            return false;
        }
        long meta = Page.base(vmb.getAcquire(page));
        for (int group = 0; group << Group.SHIFT < chunks; group++) {
            int end = Math.min(chunks, (group + 1) << Group.SHIFT);
            long word = makeGroup(batch.sizesBytes, first + (group << Group.SHIFT), first + end);
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

    private long fill(Batch batch, long page, int index, long offset, Stripe owner) {
        int first = index * Page.SLOTS;
        int chunks = batch.chunksOf(index);
        long from = offset;
        int done = 0;
        try {
            for (; done < chunks; done++) {
                int size = batch.sizesBytes[first + done];
                long payload = place(page, done, size);
                if (batch.source == null) {
                    vmb.zero(payload, size);
                } else {
                    vmb.copyIn(batch.source, from, payload, size);
                }
                from += size;
            }
        } finally {
            publish(batch, page, first, done, owner);
        }
        return from - offset;
    }

    /** Returns where the bytes of a chunk go. */
    private long place(long page, int index, int sizeBytes) {
        long form = vmb.getAcquire(page);
        if (Page.kind(form) == Page.TYPED) {
            return Page.base(form) + (long) index * Page.stride(form);
        }
        boolean forward = Page.kind(form) == Page.ENTRIES || sizeBytes > Group.MAX_SIZE;
        long entry = forward ? stripes.allocateChunk(vmb, sizeBytes) : EntryLayout.NO_CHUNK;
        if (forward && entry == EntryLayout.NO_CHUNK) {
            throw new OutOfChunkMemoryException(Chunks.blockBytes(sizeBytes), vmb.capacityBytes());
        }
        if (Page.kind(form) == Page.ENTRIES) {
            vmb.setRelease(Page.base(form) + (long) index * EntryLayout.BYTES, entry);
            return Chunks.payloadOf(entry, sizeBytes);
        }
        long word = vmb.getAcquire(Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3));
        int code = forward ? Group.forwardCode(word) : Group.codeOf(word, sizeBytes);
        long payload = space.groups.setCode(word, index & (Group.LIDS - 1), code);
        if (!forward) {
            return payload;
        }
        vmb.setLong(payload, entry);
        return Chunks.payloadOf(entry, sizeBytes);
    }

    /** Makes the chunks known that were filled. */
    private void publish(Batch batch, long page, int first, int count, Stripe owner) {
        owner.lock.lock();
        try {
            Slot slot = new Slot();
            for (int i = 0; i < count; i++) {
                slot.set(page, i, entryOf(page, i), 0);
                owner.publish(slot, batch.sizesBytes[first + i]);
            }
            if (count < Page.SLOTS) {
                owner.noteFree(page);
            }
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

    /** Takes back what was created: nobody has been told the CIDs. */
    private void undo(Batch batch, long first, int made, int pages) {
        for (int i = 0; i < pages; i++) {
            long lid = (first + i) << Page.SLOT_BITS;
            long page = space.table.find(lid);
            int chunks = i <= made && page != 0 ? batch.chunksOf(i) : 0;
            for (int k = 0; k < chunks; k++) {
                removal.delete(page, (long) space.nid << 48 | lid | k);
            }
            if (page == 0 || Page.kind(vmb.getAcquire(page)) == Page.NONE) {
                stripes.giveNumberBack(first + i);
            }
        }
    }
}
