package dev.granary.memory.paged;

import dev.granary.memory.LidsExhaustedException;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.Reclaimer;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.NewPages;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageNumbers;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes chunks of any sizes with consecutive LIDs, in pages that never held a chunk: typed where all sizes of a page
 * are the same, packed otherwise, each group with just the room that it needs.
 * Sizes and bounds have been checked. Thread-safe.
 */
final class ConsecutiveCreation {

    /** All slots of a page, ascending. */
    private static final int[] ALL_SLOTS = IntStream.range(0, Page.SLOTS).toArray();

    /** Instead of a size: somebody has inserted a chunk into the page, though its LIDs were never given. */
    private static final long OCCUPIED = -1;

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final Removal removal;
    private final Reclaimer reclaimer;
    private final NewPages newPages;

    ConsecutiveCreation(Space space, Stripes stripes, Removal removal, Reclaimer reclaimer) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
        this.removal = removal;
        this.reclaimer = reclaimer;
        this.newPages = new NewPages(space, stripes);
    }

    /** The chunks of a batch. */
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
        while (true) {
            long first = takeRun(pages, count);
            if (createPages(batch, first, pages, offset)) {
                return first << Page.SLOT_BITS;
            }
        }
    }

    private long takeRun(int pages, int count) {
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
        return first;
    }

    /** Creates the chunks. Returns false, after creating nothing, if one of the pages is occupied. */
    private boolean createPages(Batch batch, long first, int pages, long offset) {
        int made = 0;
        int touched = 0;
        boolean done = false;
        try {
            long from = offset;
            while (made < pages) {
                touched = made + 1;
                long sizeBytes = createPage(batch, first + made, made, from);
                if (sizeBytes == OCCUPIED) {
                    touched = made;
                    return false;
                }
                from += sizeBytes;
                made++;
            }
            done = true;
            return true;
        } finally {
            if (!done) {
                undo(batch, first, touched, pages);
            }
        }
    }

    /** Creates a page. Returns how many bytes of the source went into it, or {@link #OCCUPIED}. */
    private long createPage(Batch batch, long number, int index, long offset) {
        Stripe owner = stripes.lockAny();
        owner.lock.unlock();
        for (boolean again = false; ; again = true) {
            long page = stripes.findOrMakePage((long) space.nid << 48 | number << Page.SLOT_BITS);
            if (page != 0) {
                Latch.lockExclusive(vmb, page + Page.LATCH);
                try {
                    if (Page.kind(vmb.getAcquire(page)) != Page.NONE) {
                        return OCCUPIED;
                    }
                    int chunks = batch.chunksOf(index);
                    if (newPages.make(page, ALL_SLOTS, 0, batch.sizesBytes, index * Page.SLOTS, chunks, owner)) {
                        return fill(batch, page, index, offset, owner);
                    }
                } finally {
                    Latch.unlockExclusive(vmb, page + Page.LATCH);
                }
            }
            if (again) {
                throw new OutOfChunkMemoryException(Space.typedBytes(1), vmb.capacityBytes());
            }
            reclaimer.reclaimOrThrow(Space.typedBytes(1), vmb.capacityBytes());
        }
    }

    private long fill(Batch batch, long page, int index, long offset, Stripe owner) {
        int first = index * Page.SLOTS;
        int chunks = batch.chunksOf(index);
        long from = offset;
        int done = 0;
        try {
            for (; done < chunks; done++) {
                int size = batch.sizesBytes[first + done];
                long payload = newPages.place(page, done, size);
                if (payload == 0) {
                    throw new OutOfChunkMemoryException(Chunks.blockBytes(size), vmb.capacityBytes());
                }
                if (batch.source == null) {
                    vmb.zero(payload, size);
                } else {
                    vmb.copyIn(batch.source, from, payload, size);
                }
                from += size;
            }
        } finally {
            newPages.publish(page, ALL_SLOTS, 0, batch.sizesBytes, first, done, owner);
            if (done < Page.SLOTS) {
                stripes.noteFree(page);
            }
        }
        return from - offset;
    }

    /**
     * Takes back what was created. Nobody has been told the CIDs.
     *
     * @param touched the number of pages, from the first, that may have chunks of the batch
     */
    private void undo(Batch batch, long first, int touched, int pages) {
        for (int i = 0; i < pages; i++) {
            long lid = (first + i) << Page.SLOT_BITS;
            long page = space.table.find(lid);
            int chunks = i < touched && page != 0 ? batch.chunksOf(i) : 0;
            for (int k = 0; k < chunks; k++) {
                removal.delete(page, (long) space.nid << 48 | lid | k);
            }
            if (page == 0 || Page.kind(vmb.getAcquire(page)) == Page.NONE) {
                stripes.giveNumberBack(first + i);
            }
        }
    }
}
