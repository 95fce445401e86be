package dev.granary.memory.paged;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.NewPages;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;
import java.lang.foreign.MemorySegment;

/**
 * Makes or replaces many chunks with given, ascending CIDs. The chunks of a page that has none are laid out at once;
 * all others go one by one. Sizes and bounds have been checked. Thread-safe.
 */
final class BulkInsertion {

    /** Fewer chunks of one page are inserted one by one, because laying them out together gains nothing. */
    private static final int MIN_TOGETHER = 4;

    private final Vmb vmb;
    private final Extents extents;
    private final Stripes stripes;
    private final Changes changes;
    private final NewPages newPages;
    private final Inserter inserter;
    private final int ownNid;

    BulkInsertion(Space space, Stripes stripes, Changes changes) {
        this.vmb = space.vmb;
        this.extents = space.extents;
        this.stripes = stripes;
        this.changes = changes;
        this.newPages = new NewPages(space, stripes);
        this.inserter = new Inserter(space, stripes, new Resizer(space, stripes));
        this.ownNid = space.nid;
    }

    /** The chunks that are inserted. */
    private static final class Batch {

        private final long[] cids;
        private final MemorySegment source;
        private final long[] offsets;
        private final int[] sizesBytes;
        private final int[] slots = new int[Page.SLOTS];
        private int created;

        /** Whether it takes what is kept for chunks that return, because there was no other room. */
        private boolean takesReserve;

        /** How many chunks of the present page have their bytes. */
        private int filled;

        Batch(long[] cids, MemorySegment source, long[] offsets, int[] sizesBytes) {
            this.cids = cids;
            this.source = source;
            this.offsets = offsets;
            this.sizesBytes = sizesBytes;
        }

        /** Returns the index of the first chunk behind the page of the chunk at {@code from}. */
        int endOfPage(int from, int to) {
            long page = cids[from] >>> Page.SLOT_BITS;
            int end = from;
            while (end < to && cids[end] >>> Page.SLOT_BITS == page) {
                end++;
            }
            return end;
        }
    }

    /** See {@link ChunkMemory#insertOrReplace}. */
    int insertOrReplace(long[] cids, int from, int to, MemorySegment source, long[] offsets, int[] sizesBytes) {
        Changes.requireReadable(source);
        Batch batch = new Batch(cids, source, offsets, sizesBytes);
        try {
            for (int first = from, end; first < to; first = end) {
                end = batch.endOfPage(first, to);
                int done = end - first >= MIN_TOGETHER ? together(batch, first, end) : 0;
                for (int i = first + done; i < end; i++) {
                    oneByOne(batch, i);
                }
            }
        } finally {
            if (batch.takesReserve) {
                extents.endReturn();
            }
        }
        return batch.created;
    }

    private void oneByOne(Batch batch, int i) {
        try {
            insertOrReplace(batch, i);
        } catch (OutOfChunkMemoryException e) {
            if (batch.takesReserve) {
                throw e;
            }
            extents.beginReturn();
            batch.takesReserve = true;
            insertOrReplace(batch, i);
        }
    }

    private void insertOrReplace(Batch batch, int i) {
        while (true) {
            if (changes.insert(batch.cids[i], batch.source, batch.offsets[i], batch.sizesBytes[i])) {
                batch.created++;
                return;
            }
            long page = stripes.findOrMakePage(batch.cids[i]);
            if (changes.replace(page, batch.cids[i], batch.source, batch.offsets[i], batch.sizesBytes[i])) {
                return;
            }
        }
    }

    /** Returns how many chunks were made: none if the page has chunks, or there is no room. */
    private int together(Batch batch, int first, int end) {
        Stripe owner = stripes.lockAny();
        owner.lock.unlock();
        long page = stripes.findOrMakePage(batch.cids[first]);
        if (page == 0) {
            return 0;
        }
        int count = end - first;
        Latch.lockExclusive(vmb, page + Page.LATCH);
        try {
            if (Page.kind(vmb.getAcquire(page)) != Page.NONE) {
                return 0;
            }
            for (int i = 0; i < count; i++) {
                batch.slots[i] = Page.slot(batch.cids[first + i]);
            }
            if (!newPages.make(page, batch.slots, 0, batch.sizesBytes, first, count, owner)) {
                return 0;
            }
            try {
                fill(batch, page, first, count);
            } finally {
                newPages.publish(page, batch.slots, 0, batch.sizesBytes, first, batch.filled, owner);
                if (batch.cids[first] >>> 48 == ownNid && batch.filled < Page.SLOTS) {
                    stripes.noteFree(page);
                }
                batch.created += batch.filled;
            }
            return batch.filled;
        } finally {
            Latch.unlockExclusive(vmb, page + Page.LATCH);
        }
    }

    /**
     * Fills as many chunks as there is room for, {@link Batch#filled}, also when the source cannot be read any more.
     */
    private void fill(Batch batch, long page, int first, int count) {
        batch.filled = 0;
        boolean placed = false;
        try {
            while (batch.filled < count) {
                int size = batch.sizesBytes[first + batch.filled];
                long payload = newPages.place(page, batch.slots[batch.filled], size);
                if (payload == 0) {
                    return;
                }
                placed = true;
                vmb.copyIn(batch.source, batch.offsets[first + batch.filled], payload, size);
                placed = false;
                batch.filled++;
            }
        } finally {
            if (placed) {
                inserter.abandon(page, batch.slots[batch.filled], batch.sizesBytes[first + batch.filled]);
            }
        }
    }
}
