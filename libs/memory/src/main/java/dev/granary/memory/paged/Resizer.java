package dev.granary.memory.paged;

import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Locator;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PageFiller;
import dev.granary.memory.page.PagePacker;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;

/**
 * Gives chunks other sizes and inserts chunks at given LIDs: it finds room in the page, or outside by a forward. It
 * works under the page's exclusive latch, without a stripe's lock. An attempt that fails for lack of room changes
 * nothing.
 */
final class Resizer {

    /** A typed page with this many forwarded chunks is made a packed page: each forwarded chunk wastes a slot. */
    private static final int MAX_FORWARDS = Page.SLOTS / 32;

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final PagePacker packer;

    Resizer(Space space, Stripes stripes) {
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
        this.packer = new PagePacker(space, stripes, stripes);
    }

    /**
     * Changes the size of a live chunk that is not pinned. The first bytes are kept as far as both sizes go.
     *
     * @param entry the entry of the chunk, from {@link Locator}
     * @return where the bytes are now, or 0 if there is no room
     */
    long resize(long page, int index, long entry, int newSize) {
        int oldSize = Chunks.size(vmb, entry);
        long form = vmb.getAcquire(page);
        long payload =
                switch (Page.kind(form)) {
                    case Page.ENTRIES -> resizeEntry(form, index, entry, oldSize, newSize);
                    case Page.TYPED -> resizeTyped(page, form, index, entry, oldSize, newSize);
                    default -> resizePacked(form, index, entry, oldSize, newSize);
                };
        if (payload != 0) {
            Stripe owner = lockOwner(page);
            try {
                owner.books().resized(oldSize, newSize);
            } finally {
                owner.lock.unlock();
            }
        }
        return payload;
    }

    /**
     * Moves a packed chunk to a block of its own, where it stays when the group moves.
     *
     * @return its entry, or 0 if there is no room
     */
    long moveOut(long page, int index, long entry) {
        long at = groupWord(vmb.getAcquire(page), index);
        int inGroup = index & (Group.LIDS - 1);
        long word = vmb.getAcquire(at);
        if (Group.code(vmb, word, inGroup) == Group.forwardCode(word)) {
            return entry;
        }
        int size = Chunks.size(vmb, entry);
        return size == 0 ? entry : forwardPacked(at, inGroup, entry, size, size);
    }

    private long resizeEntry(long form, int index, long entry, int oldSize, int newSize) {
        long moved = copyToBlock(entry, oldSize, newSize);
        if (moved == EntryLayout.NO_CHUNK) {
            return 0;
        }
        vmb.setRelease(Page.base(form) + (long) index * EntryLayout.BYTES, moved);
        stripes.freeChunk(entry, oldSize);
        return Chunks.payloadOf(moved, newSize);
    }

    private long resizeTyped(long page, long form, int index, long entry, int oldSize, int newSize) {
        long slot = Page.base(form) + (long) index * Page.stride(form);
        boolean forwarded = (form & Page.HAS_FORWARDS) != 0
                && Meta.isSet(vmb, Page.meta(vmb.getAcquire(page + Page.STATE)) + Meta.FORWARDS, index);
        if (forwarded && newSize == Page.stride(form)) {
            vmb.move(Chunks.payloadOf(entry, oldSize), slot, Math.min(oldSize, newSize));
            setForward(page, index, false);
            stripes.freeChunk(entry, oldSize);
            return slot;
        }
        if (!forwarded && forwards(page, form) >= MAX_FORWARDS && packer.pack(page)) {
            return resizePacked(vmb.getAcquire(page), index, relocated(page, index), oldSize, newSize);
        }
        if (!forwarded && !extend(page)) {
            return 0;
        }
        long moved = copyToBlock(entry, oldSize, newSize);
        if (moved == EntryLayout.NO_CHUNK) {
            return 0;
        }
        vmb.setLong(slot, moved);
        if (forwarded) {
            stripes.freeChunk(entry, oldSize);
        } else {
            setForward(page, index, true);
        }
        return Chunks.payloadOf(moved, newSize);
    }

    private long resizePacked(long form, int index, long entry, int oldSize, int newSize) {
        long at = groupWord(form, index);
        int inGroup = index & (Group.LIDS - 1);
        long word = vmb.getAcquire(at);
        boolean forwarded = Group.code(vmb, word, inGroup) == Group.forwardCode(word);
        if (newSize > Group.MAX_SIZE || !space.groupBlocks.fits(word, inGroup, newSize)) {
            long moved = forwardPacked(at, inGroup, entry, oldSize, newSize);
            if (moved != EntryLayout.NO_CHUNK && forwarded) {
                stripes.freeChunk(entry, oldSize);
            }
            return moved == EntryLayout.NO_CHUNK ? 0 : Chunks.payloadOf(moved, newSize);
        }
        word = space.groupBlocks.prepare(stripes, at, inGroup, newSize, false, 0);
        if (word == 0) {
            return 0;
        }
        long payload = space.groups.setCode(word, inGroup, Group.codeOf(word, newSize));
        if (forwarded) {
            vmb.move(Chunks.payloadOf(entry, oldSize), payload, Math.min(oldSize, newSize));
            stripes.freeChunk(entry, oldSize);
        }
        space.groupBlocks.trim(stripes, at, space.groupBlocks.tolerated(word));
        word = vmb.getAcquire(at);
        return Group.payload(word) + Group.offset(vmb, word, inGroup);
    }

    /** Makes a packed or forwarded chunk one in a new block. Returns its entry, or 0. The old block is not freed. */
    private long forwardPacked(long at, int inGroup, long entry, int oldSize, int newSize) {
        long word = space.groupBlocks.prepare(stripes, at, inGroup, EntryLayout.BYTES, true, 0);
        if (word == 0) {
            return EntryLayout.NO_CHUNK;
        }
        // The group may have moved, and the chunk with it.
        long from =
                Group.code(vmb, word, inGroup) == Group.forwardCode(word) ? entry : Group.locate(vmb, word, inGroup);
        long moved = copyToBlock(from, oldSize, newSize);
        if (moved != EntryLayout.NO_CHUNK) {
            vmb.setLong(space.groups.setCode(word, inGroup, Group.forwardCode(word)), moved);
        }
        return moved;
    }

    /** Copies a chunk to a new block. Returns its entry, or 0 if there is no room. */
    private long copyToBlock(long entry, int oldSize, int newSize) {
        long moved = stripes.allocateChunk(vmb, newSize);
        if (moved != EntryLayout.NO_CHUNK) {
            vmb.move(Chunks.payloadOf(entry, oldSize), Chunks.payloadOf(moved, newSize), Math.min(oldSize, newSize));
        }
        return moved;
    }

    private long relocated(long page, int index) {
        return space.locator.locate(page, Latch.HELD, vmb.getAcquire(page), index);
    }

    private static long groupWord(long form, int index) {
        return Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3);
    }

    private int forwards(long page, long form) {
        if ((form & Page.HAS_FORWARDS) == 0) {
            return 0;
        }
        long bitmap = Page.meta(vmb.getAcquire(page + Page.STATE)) + Meta.FORWARDS;
        int count = 0;
        for (int i = 0; i < Meta.WORDS; i++) {
            count += Long.bitCount(vmb.getAcquire(bitmap + 8L * i));
        }
        return count;
    }

    void setForward(long page, int index, boolean forward) {
        Stripe owner = lockOwner(page);
        try {
            long bitmap = Page.meta(vmb.getAcquire(page + Page.STATE)) + Meta.FORWARDS;
            if (forward) {
                Meta.set(vmb, bitmap, index);
                vmb.setRelease(page, (vmb.getAcquire(page) & ~Page.ALL_LIVE) | Page.HAS_FORWARDS);
            } else {
                Meta.clear(vmb, bitmap, index);
            }
        } finally {
            owner.lock.unlock();
        }
    }

    /** Gives a page a meta block with all bitmaps. Returns false if there is no room. */
    boolean extend(long page) {
        long state = vmb.getAcquire(page + Page.STATE);
        if ((state & Page.EXTENDED) != 0) {
            return true;
        }
        long meta = space.makeMeta(stripes, Meta.EXTENDED_BYTES);
        if (meta == 0) {
            return false;
        }
        long old;
        int oldBytes;
        Stripe owner = lockOwner(page);
        try {
            state = vmb.getAcquire(page + Page.STATE);
            old = Page.meta(state);
            long form = vmb.getAcquire(page);
            oldBytes = Meta.sizeBytes(form, state);
            boolean listed = (state & Page.LISTED) != 0;
            PageFiller filler = owner.fillerOf(page);
            if (listed) {
                filler.unlist(page);
                state = vmb.getAcquire(page + Page.STATE);
            }
            vmb.move(old, meta, oldBytes);
            vmb.setRelease(page + Page.STATE, (state & ~EntryLayout.ADDRESS_MASK) | meta | Page.EXTENDED);
            if (Page.kind(form) == Page.PACKED) {
                vmb.setRelease(page, (form & ~EntryLayout.ADDRESS_MASK) | meta);
            }
            if (listed) {
                filler.push(page);
            }
        } finally {
            owner.lock.unlock();
        }
        space.freeMeta(stripes, old, oldBytes);
        return true;
    }

    Stripe lockOwner(long page) {
        Stripe owner = stripes.get(Page.owner(vmb.getAcquire(page + Page.STATE)));
        owner.lock.lock();
        return owner;
    }
}
