package dev.granary.memory.paged;

import dev.granary.memory.PinnedException;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageMaker;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;

/** Deletes chunks, and gives up pages that became empty. Thread-safe. */
final class Removal {

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;

    Removal(Space space, Stripes stripes) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
    }

    /**
     * Deletes a chunk.
     *
     * @param page directory entry of its page, or 0
     * @return false if there is no such chunk
     * @throws PinnedException if the chunk is pinned
     */
    boolean delete(long page, long cid) {
        if (page == 0) {
            return false;
        }
        Latch.lockExclusive(vmb, page + Page.LATCH);
        try {
            int index = Page.slot(cid);
            long form = vmb.getAcquire(page);
            long entry = space.locator.locate(page, Latch.HELD, form, index);
            if (entry == EntryLayout.NO_CHUNK) {
                return false;
            }
            if (space.pins.isPinned(vmb, page, cid)) {
                throw new PinnedException(cid, "cannot be deleted");
            }
            remove(page, form, index, entry, cid >>> 48 == space.nid);
            return true;
        } finally {
            Latch.unlockExclusive(vmb, page + Page.LATCH);
        }
    }

    private void remove(long page, long form, int index, long entry, boolean own) {
        int size = Chunks.size(vmb, entry);
        boolean inBlock = isInBlock(page, form, index);
        boolean open = unpublish(page, form, index, size, own);
        if (inBlock) {
            stripes.freeChunk(entry, size);
        }
        long now = vmb.getAcquire(page);
        if (Page.kind(now) == Page.PACKED) {
            long at = Page.base(now) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3);
            long word = vmb.getAcquire(at);
            space.groups.setCode(word, index & (Group.LIDS - 1), 0);
            if (!open) {
                space.groupBlocks.trim(stripes, at, space.groupBlocks.tolerated(word));
            }
        }
        giveUpIfEmpty(page, own);
    }

    /** Returns whether the chunk has a block of its own. */
    private boolean isInBlock(long page, long form, int index) {
        return switch (Page.kind(form)) {
            case Page.ENTRIES -> true;
            case Page.TYPED ->
                (form & Page.HAS_FORWARDS) != 0
                        && Meta.isSet(vmb, Page.meta(vmb.getAcquire(page + Page.STATE)) + Meta.FORWARDS, index);
            default -> {
                long word = vmb.getAcquire(Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3));
                yield Group.code(vmb, word, index & (Group.LIDS - 1)) == Group.forwardCode(word);
            }
        };
    }

    /** Makes the chunk impossible to find. Returns whether the page is open. */
    private boolean unpublish(long page, long form, int index, int sizeBytes, boolean own) {
        Stripe owner = stripes.get(Page.owner(vmb.getAcquire(page + Page.STATE)));
        owner.lock.lock();
        try {
            long dead = space.sparse.deadBytes(page);
            long state = vmb.getAcquire(page + Page.STATE) - Page.ONE_LIVE;
            vmb.setRelease(page + Page.STATE, state);
            space.sparse.changed(page, dead);
            if (Page.kind(form) == Page.ENTRIES) {
                vmb.setRelease(Page.base(form) + (long) index * EntryLayout.BYTES, EntryLayout.NO_CHUNK);
            } else {
                clearBits(page, Page.meta(state), index, state);
            }
            owner.books().deleted(sizeBytes);
            if (own) {
                owner.noteFree(page);
            }
            return (state & Page.OPEN) != 0;
        } finally {
            owner.lock.unlock();
        }
    }

    private void clearBits(long page, long meta, int index, long state) {
        long form = vmb.getAcquire(page);
        if ((form & Page.ALL_LIVE) != 0) {
            vmb.setRelease(page, form & ~Page.ALL_LIVE);
        }
        Meta.clear(vmb, meta, index);
        if ((state & Page.EXTENDED) != 0) {
            if (Page.kind(form) == Page.TYPED) {
                Meta.clear(vmb, meta + Meta.FORWARDS, index);
            }
            Meta.clear(vmb, meta + Meta.READ_ONLY, index);
        }
    }

    /** Frees the memory of a typed or packed page without chunks, unless chunks are being created in it. */
    private void giveUpIfEmpty(long page, boolean own) {
        long form = vmb.getAcquire(page);
        long state = vmb.getAcquire(page + Page.STATE);
        if (Page.kind(form) == Page.ENTRIES || Page.live(state) != 0) {
            return;
        }
        Stripe owner = stripes.get(Page.owner(state));
        owner.lock.lock();
        try {
            state = vmb.getAcquire(page + Page.STATE);
            if (Page.live(state) != 0 || (state & Page.OPEN) != 0) {
                return;
            }
            if (own) {
                owner.forget(page);
                owner.giveEmptyPageBack(page);
            }
            space.sparse.leave(page);
            vmb.setRelease(page, 0);
            vmb.setRelease(page + Page.STATE, 0);
        } finally {
            owner.lock.unlock();
        }
        PageMaker.free(space, stripes, form, state);
    }
}
