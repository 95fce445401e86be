package dev.granary.memory.paged;

import dev.granary.memory.MemoryLayout;
import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.PackedFiller;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageMaker;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;

/**
 * Makes chunks with given CIDs: chunks that come from other peers, or return (DXRAM section IV-C). It works under the
 * page's exclusive latch, without a stripe's lock. An attempt that fails for lack of room changes nothing.
 */
final class Inserter {

    /** What a group that is full may waste. */
    private static final int TOLERATED_BYTES = 16;

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final Resizer resizer;

    Inserter(Space space, Stripes stripes, Resizer resizer) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
        this.resizer = resizer;
    }

    /**
     * Makes room for a chunk in a slot that has none, as {@link #closeToCreates} has made sure. Not yet live: the
     * caller writes its bytes, then {@link #publish}.
     *
     * @return where its bytes go, or 0 if there is no room
     */
    long insert(long page, int index, int sizeBytes) {
        long form = vmb.getAcquire(page);
        if (Page.kind(form) == Page.NONE && !makePage(page, sizeBytes)) {
            return 0;
        }
        form = vmb.getAcquire(page);
        return switch (Page.kind(form)) {
            case Page.ENTRIES -> insertEntry(form, index, sizeBytes);
            case Page.TYPED -> insertTyped(page, form, index, sizeBytes);
            default -> insertPacked(form, index, sizeBytes);
        };
    }

    /**
     * Keeps all creates out of this page while the latch is held, so that a slot without a chunk stays so. Chunks are
     * created in own pages only, and in packed pages only with the latch.
     */
    void closeToCreates(long page) {
        int kind = Page.kind(vmb.getAcquire(page));
        if (kind == Page.ENTRIES || kind == Page.TYPED) {
            stripes.close(page);
        }
    }

    /** Takes back the room that {@link #insert} made, because the bytes could not be written. */
    void abandon(long page, int index, int sizeBytes) {
        long form = vmb.getAcquire(page);
        switch (Page.kind(form)) {
            case Page.ENTRIES -> {
                long at = Page.base(form) + (long) index * EntryLayout.BYTES;
                stripes.freeChunk(vmb.getAcquire(at), sizeBytes);
                vmb.setRelease(at, EntryLayout.NO_CHUNK);
            }
            case Page.TYPED -> {
                if (sizeBytes != Page.stride(form)) {
                    stripes.freeChunk(vmb.getLong(Page.base(form) + (long) index * Page.stride(form)), sizeBytes);
                    resizer.setForward(page, index, false);
                }
            }
            default -> {
                long word = vmb.getAcquire(Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3));
                int inGroup = index & (Group.LIDS - 1);
                if (Group.code(vmb, word, inGroup) == Group.forwardCode(word)) {
                    stripes.freeChunk(Group.locate(vmb, word, inGroup), sizeBytes);
                }
                space.groups.setCode(word, inGroup, 0);
            }
        }
    }

    /** Makes an inserted chunk known. */
    void publish(long page, int index, int sizeBytes, boolean own) {
        Stripe owner = resizer.lockOwner(page);
        try {
            long dead = space.sparse.deadBytes(page);
            long state = vmb.getAcquire(page + Page.STATE) + Page.ONE_LIVE;
            vmb.setRelease(page + Page.STATE, state);
            space.sparse.changed(page, dead);
            if (Page.kind(vmb.getAcquire(page)) != Page.ENTRIES) {
                Meta.set(vmb, Page.meta(state), index);
            }
            owner.books().created(sizeBytes);
            if (own && Page.live(state) < Page.SLOTS) {
                owner.noteFree(page);
            }
        } finally {
            owner.lock.unlock();
        }
    }

    /**
     * Makes a page. Pages go to all stripes in turn, whichever thread inserts: the LIDs that are given later must not
     * depend on a thread's id.
     */
    private boolean makePage(long page, int sizeBytes) {
        int owner = (int) (page / Page.BYTES % stripes.count());
        return space.layout == MemoryLayout.CLASSIC
                ? PageMaker.makeEntries(space, stripes, page, owner)
                : PageMaker.makePacked(space, stripes, page, PackedFiller.bandOf(sizeBytes), owner);
    }

    private long insertEntry(long form, int index, int sizeBytes) {
        long entry = stripes.allocateChunk(vmb, sizeBytes);
        if (entry == EntryLayout.NO_CHUNK) {
            return 0;
        }
        // Readers find the chunk before its bytes are there, but not while the page is latched.
        vmb.setRelease(Page.base(form) + (long) index * EntryLayout.BYTES, entry);
        return Chunks.payloadOf(entry, sizeBytes);
    }

    private long insertTyped(long page, long form, int index, int sizeBytes) {
        long slot = Page.base(form) + (long) index * Page.stride(form);
        if (sizeBytes == Page.stride(form)) {
            return slot;
        }
        if (!resizer.extend(page)) {
            return 0;
        }
        long entry = stripes.allocateChunk(vmb, sizeBytes);
        if (entry == EntryLayout.NO_CHUNK) {
            return 0;
        }
        vmb.setLong(slot, entry);
        resizer.setForward(page, index, true);
        return Chunks.payloadOf(entry, sizeBytes);
    }

    private long insertPacked(long form, int index, int sizeBytes) {
        long at = Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3);
        int inGroup = index & (Group.LIDS - 1);
        boolean forward = sizeBytes > Group.MAX_SIZE || !space.groupBlocks.fits(vmb.getAcquire(at), inGroup, sizeBytes);
        long entry = forward ? stripes.allocateChunk(vmb, sizeBytes) : EntryLayout.NO_CHUNK;
        if (forward && entry == EntryLayout.NO_CHUNK) {
            return 0;
        }
        int packed = forward ? EntryLayout.BYTES : sizeBytes;
        boolean inOrder = vmb.getAcquire(Page.base(form) + ((long) index >>> Group.SHIFT << 3)) >>> inGroup == 0;
        if (vmb.getAcquire(at) == 0 && index >= Group.LIDS) {
            // The group before is not filled further, as a rule.
            space.groupBlocks.trim(stripes, at - EntryLayout.BYTES, TOLERATED_BYTES);
        }
        long word = prepare(at, inGroup, packed, forward, inOrder ? wanted(at, inGroup, packed) : 0);
        if (word == 0) {
            if (forward) {
                stripes.freeChunk(entry, sizeBytes);
            }
            return 0;
        }
        int code = forward ? Group.forwardCode(word) : Group.codeOf(word, sizeBytes);
        long payload = space.groups.setCode(word, inGroup, code);
        if (forward) {
            vmb.setLong(payload, entry);
        }
        if (inOrder && inGroup == Group.LIDS - 1) {
            space.groupBlocks.trim(stripes, at, TOLERATED_BYTES);
            word = vmb.getAcquire(at);
            payload = Group.payload(word) + Group.offset(vmb, word, inGroup);
        }
        return forward ? Chunks.payloadOf(entry, sizeBytes) : payload;
    }

    private long prepare(long at, int inGroup, int packed, boolean forward, int wanted) {
        long word = space.groupBlocks.prepare(stripes, at, inGroup, packed, forward, wanted);
        return word == 0 && wanted != 0 ? space.groupBlocks.prepare(stripes, at, inGroup, packed, forward, 0) : word;
    }

    /**
     * Returns how much room a group should have, if it needs a new block, that is filled in the order of its LIDs: for
     * those that are still to come, if they are like those before. With a new block for each chunk, memory would be
     * full of gaps.
     */
    private int wanted(long at, int inGroup, int packed) {
        long word = vmb.getAcquire(at);
        if (word == 0) {
            return 0;
        }
        int bytes = space.groups.end(word) + packed;
        return Math.min(2 * bytes, bytes * Group.LIDS / (inGroup + 1));
    }
}
