package dev.granary.memory.defragment;

import dev.granary.memory.arena.Chunks;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Extents;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import dev.granary.memory.page.Group;
import dev.granary.memory.page.Meta;
import dev.granary.memory.page.Page;
import dev.granary.memory.page.PagePacker;
import dev.granary.memory.page.Pins;
import dev.granary.memory.page.Space;
import dev.granary.memory.page.SparsePages;
import dev.granary.memory.page.Stripe;
import dev.granary.memory.page.Stripes;
import org.jspecify.annotations.Nullable;

/**
 * Moves what a page has in segments that are being evacuated: its slots, groups, entries, chunks in blocks of their
 * own, and its meta block. Typed pages with few chunks become packed ones on the way. Each move is: allocate, copy,
 * swing the one word that leads there, free; under the page's exclusive latch, which is only tried, and the stripe's
 * lock where the word belongs to it. Readers validate the latch and read again.
 *
 * <p>A stripe's lock is held for a bounded number of moves of small blocks, so that nobody waits long.
 *
 * <p>One at a time ({@link Defragmenter}).
 */
final class Relocator {

    /** How many small blocks are moved while a stripe's lock is held. */
    private static final int MOVES_PER_LOCK = 64;

    private final Space space;
    private final Vmb vmb;
    private final Extents extents;
    private final Stripes stripes;
    private final PagePacker packer;

    /** The stripe whose lock is held from one move to the next. */
    private @Nullable Stripe held;

    private int movesHeld;
    private boolean complete;
    private long movedBlocks;
    private long movedBytes;
    private long packedPages;

    /** The size for which no block could be allocated; larger sizes are not tried. */
    private long noRoomBytes = Long.MAX_VALUE;

    Relocator(Space space, Stripes stripes) {
        this.space = space;
        this.vmb = space.vmb;
        this.extents = space.extents;
        this.stripes = stripes;
        this.packer = new PagePacker(space, stripes, stripes.tidy());
    }

    long movedBlocks() {
        return movedBlocks;
    }

    long movedBytes() {
        return movedBytes;
    }

    /** To be called when there may be room again. */
    void startPass() {
        noRoomBytes = Long.MAX_VALUE;
    }

    /** Typed pages that were packed. */
    long packedPages() {
        return packedPages;
    }

    /**
     * Moves what a page has in segments that are being evacuated.
     *
     * @param page directory entry
     * @param nid of its chunks
     * @return whether nothing is left there: false if somebody holds the latch, a chunk is pinned, or there is no room
     */
    boolean relocate(long page, int nid) {
        long form = vmb.getAcquire(page);
        if (Page.kind(form) == Page.NONE) {
            return true;
        }
        if (Page.kind(form) == Page.TYPED && (form & Page.HAS_FORWARDS) == 0) {
            long meta = Page.meta(vmb.getAcquire(page + Page.STATE));
            if (!isLeaving(Page.base(form)) && !isLeaving(meta)) {
                return true;
            }
        }
        if (!Latch.tryExclusive(vmb, page + Page.LATCH)) {
            return false;
        }
        complete = true;
        try {
            relocateLatched(page, nid);
        } finally {
            release();
            Latch.unlockExclusive(vmb, page + Page.LATCH);
        }
        return complete;
    }

    private void relocateLatched(long page, int nid) {
        long form = vmb.getAcquire(page);
        if (Page.kind(form) == Page.TYPED && isLeaving(Page.base(form))) {
            relocateSlots(page, form);
            form = vmb.getAcquire(page);
        }
        switch (Page.kind(form)) {
            case Page.ENTRIES -> relocateEntries(page, form, nid);
            case Page.TYPED -> relocateTyped(page, form, nid);
            case Page.PACKED -> relocateGroups(page, form, nid);
            default -> {
                // It became empty.
            }
        }
    }

    private void relocateSlots(long page, long form) {
        long state = vmb.getAcquire(page + Page.STATE);
        if (Pins.anyIn(vmb, page)) {
            complete = false;
        } else if (SparsePages.isSparse(form, state) && pack(page, form)) {
            return;
        } else if (!moveSlots(page, form, state)) {
            // Groups are smaller: there may be room for them.
            complete &= pack(page, form);
        }
    }

    private boolean pack(long page, long form) {
        release();
        if (!packer.pack(page)) {
            return false;
        }
        packedPages++;
        count(Space.typedBytes(Page.stride(form)));
        return true;
    }

    private boolean moveSlots(long page, long form, long state) {
        long bytes = Space.typedBytes(Page.stride(form));
        // Chunks are created in an open page without its latch: it is open no longer.
        boolean known = (state & Page.OPEN) != 0 && stripes.forget(page);
        long from = Page.base(form);
        long to = allocate(from, bytes, Space.alignment(Page.stride(form)), Marker.OTHER);
        if (to != 0) {
            release();
            vmb.move(from, to, bytes);
            Stripe owner = lockOwner(page);
            try {
                space.sparse.leave(page);
                vmb.setRelease(page, (vmb.getAcquire(page) & ~EntryLayout.ADDRESS_MASK) | to);
                space.sparse.enter(page);
            } finally {
                owner.lock.unlock();
            }
            free(from, bytes);
            count(bytes);
        }
        release();
        if (known) {
            stripes.noteFree(page);
        }
        return to != 0;
    }

    private void relocateTyped(long page, long form, int nid) {
        long meta = Page.meta(vmb.getAcquire(page + Page.STATE));
        for (int word = 0; (form & Page.HAS_FORWARDS) != 0 && word < Meta.WORDS; word++) {
            for (long left = vmb.getAcquire(meta + Meta.FORWARDS + 8L * word); left != 0; left &= left - 1) {
                int index = (word << 6) + Long.numberOfTrailingZeros(left);
                long slot = Page.base(form) + (long) index * Page.stride(form);
                long entry = vmb.getLong(slot);
                if (mayMove(page, nid, index, entry)) {
                    long moved = moveChunk(entry);
                    if (moved != EntryLayout.NO_CHUNK) {
                        vmb.setLong(slot, moved);
                        freeChunk(entry);
                    }
                }
            }
        }
        relocateMeta(page);
    }

    private void relocateGroups(long page, long form, int nid) {
        for (int group = 0; group < Group.PER_PAGE; group++) {
            long at = Page.base(form) + Meta.GROUPS + 8L * group;
            long word = vmb.getAcquire(at);
            if (word == 0) {
                continue;
            }
            if (isLeaving(EntryLayout.address(word))) {
                word = moveGroup(at, word);
            }
            for (int i = 0; i < Group.LIDS; i++) {
                if (Group.code(vmb, word, i) == Group.forwardCode(word)) {
                    relocateForward(page, nid, group, word, i);
                }
            }
        }
        relocateMeta(page);
    }

    private void relocateForward(long page, int nid, int group, long word, int inGroup) {
        long slot = Group.payload(word) + Group.offset(vmb, word, inGroup);
        long entry = vmb.getLong(slot);
        if (mayMove(page, nid, (group << Group.SHIFT) + inGroup, entry)) {
            long moved = moveChunk(entry);
            if (moved != EntryLayout.NO_CHUNK) {
                vmb.setLong(slot, moved);
                freeChunk(entry);
            }
        }
    }

    private long moveGroup(long at, long word) {
        long from = EntryLayout.address(word);
        long bytes = Group.blockBytes(vmb, word);
        long to = allocate(from, bytes, 1, Marker.OTHER);
        if (to == 0) {
            complete = false;
            return word;
        }
        vmb.move(from, to, bytes);
        long moved = (word & ~EntryLayout.ADDRESS_MASK) | to;
        vmb.setRelease(at, moved);
        free(from, bytes);
        count(bytes);
        return moved;
    }

    private void relocateEntries(long page, long form, int nid) {
        long table = Page.base(form);
        for (int i = 0; i < Page.SLOTS; i++) {
            long word = table + (long) i * EntryLayout.BYTES;
            long entry = vmb.getAcquire(word);
            if (mayMove(page, nid, i, entry)) {
                long moved = moveChunk(entry);
                if (moved != EntryLayout.NO_CHUNK) {
                    vmb.setRelease(word, moved);
                    freeChunk(entry);
                }
            }
        }
        release();
        if (isLeaving(table)) {
            moveTable(page, table);
        }
    }

    private void moveTable(long page, long table) {
        long to = allocate(table, Space.ENTRY_TABLE_BYTES, EntryLayout.BYTES, Marker.OTHER);
        release();
        if (to == 0) {
            complete = false;
            return;
        }
        // Entries are written without the page's latch when chunks are created.
        Stripe owner = lockOwner(page);
        try {
            vmb.move(table, to, Space.ENTRY_TABLE_BYTES);
            vmb.setRelease(page, (vmb.getAcquire(page) & ~EntryLayout.ADDRESS_MASK) | to);
        } finally {
            owner.lock.unlock();
        }
        free(table, Space.ENTRY_TABLE_BYTES);
        count(Space.ENTRY_TABLE_BYTES);
    }

    private void relocateMeta(long page) {
        long from = Page.meta(vmb.getAcquire(page + Page.STATE));
        if (!isLeaving(from)) {
            return;
        }
        int bytes = Meta.sizeBytes(vmb.getAcquire(page), vmb.getAcquire(page + Page.STATE));
        long to = allocate(from, bytes, Meta.ALIGNMENT, Marker.OTHER);
        release();
        if (to == 0) {
            complete = false;
            return;
        }
        Stripe owner = lockOwner(page);
        try {
            vmb.move(from, to, bytes);
            long form = vmb.getAcquire(page);
            vmb.setRelease(page + Page.STATE, (vmb.getAcquire(page + Page.STATE) & ~EntryLayout.ADDRESS_MASK) | to);
            if (Page.kind(form) == Page.PACKED) {
                vmb.setRelease(page, (form & ~EntryLayout.ADDRESS_MASK) | to);
            }
        } finally {
            owner.lock.unlock();
        }
        free(from, bytes);
        count(bytes);
    }

    /** Whether the block of a chunk must and may move. */
    private boolean mayMove(long page, int nid, int index, long entry) {
        long block = EntryLayout.address(entry);
        if (entry == EntryLayout.NO_CHUNK || block == EntryLayout.EMPTY_CHUNK || !isLeaving(block)) {
            return false;
        }
        if (Pins.anyIn(vmb, page)) {
            long number = Page.number(vmb.getAcquire(page + Page.NUMBER));
            if (space.pins.isPinned(vmb, page, (long) nid << 48 | number << Page.SLOT_BITS | index)) {
                complete = false;
                return false;
            }
        }
        return true;
    }

    /** Copies the block of a chunk. Returns the entry for the copy, or none if there is no room. */
    private long moveChunk(long entry) {
        long from = EntryLayout.address(entry);
        int size = Chunks.size(vmb, entry);
        long bytes = Chunks.blockBytes(size);
        long to = allocate(from, bytes, 1, Marker.chunk(size));
        if (to == 0) {
            complete = false;
            return EntryLayout.NO_CHUNK;
        }
        vmb.move(from, to, bytes);
        count(bytes);
        return (entry & ~EntryLayout.ADDRESS_MASK) | to;
    }

    private void freeChunk(long entry) {
        free(EntryLayout.address(entry), Chunks.blockBytes(Chunks.size(vmb, entry)));
    }

    private boolean isLeaving(long address) {
        return extents.segments().isEvacuating(extents.segmentOf(address));
    }

    private void count(long bytes) {
        movedBlocks++;
        movedBytes += bytes;
    }

    /** Allocates in the stripe of the block that is to move, or in any other. */
    private long allocate(long from, long bytes, int alignment, int kind) {
        if (bytes >= noRoomBytes) {
            return 0;
        }
        Stripe stripe = hold(from);
        long to = stripe.arena.allocateTidy(bytes, alignment, kind);
        if (to == 0) {
            release();
            to = stripes.allocate(bytes, alignment, kind);
            noRoomBytes = to == 0 ? bytes : noRoomBytes;
        }
        return to;
    }

    private void free(long block, long bytes) {
        hold(block).free(block, bytes);
    }

    /** Holds the lock of the stripe of a block, and lets go of it now and then. */
    private Stripe hold(long block) {
        Stripe wanted = stripes.get(extents.owner(block));
        if (held != wanted || movesHeld >= MOVES_PER_LOCK) {
            release();
            wanted.lock.lock();
            wanted.prepare(false);
            held = wanted;
        }
        movesHeld++;
        return wanted;
    }

    private void release() {
        Stripe stripe = held;
        held = null;
        movesHeld = 0;
        if (stripe != null) {
            stripe.lock.unlock();
        }
    }

    private Stripe lockOwner(long page) {
        Stripe owner = stripes.get(Page.owner(vmb.getAcquire(page + Page.STATE)));
        owner.lock.lock();
        return owner;
    }
}
