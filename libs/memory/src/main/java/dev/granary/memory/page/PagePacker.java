package dev.granary.memory.page;

import dev.granary.memory.arena.BlockSource;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.os.Vmb;

/**
 * Turns typed pages into packed ones: when many of their chunks have other sizes, or few are left. Under the page's
 * exclusive latch, without a stripe's lock.
 */
public final class PagePacker {

    private final Space space;
    private final Vmb vmb;
    private final Stripes stripes;
    private final BlockSource blocks;

    /**
     * A packer.
     *
     * @param blocks gives the blocks of groups
     */
    public PagePacker(Space space, Stripes stripes, BlockSource blocks) {
        this.blocks = blocks;
        this.space = space;
        this.vmb = space.vmb;
        this.stripes = stripes;
    }

    /** Packs a typed page. Returns false, and changes nothing, if a chunk in it is pinned or there is no room. */
    public boolean pack(long page) {
        if (Pins.anyIn(vmb, page)) {
            return false;
        }
        boolean known = stripes.forget(page);
        long form = vmb.getAcquire(page);
        long state = vmb.getAcquire(page + Page.STATE);
        int metaBytes = (state & Page.EXTENDED) != 0 ? Meta.EXTENDED_BYTES : Meta.PACKED_BYTES;
        long meta = space.makeMeta(stripes, metaBytes);
        boolean packed = meta != 0 && packGroups(form, state, meta);
        if (packed) {
            swing(page, form, state, meta);
            stripes.free(Page.base(form), Space.typedBytes(Page.stride(form)));
            space.freeMeta(stripes, Page.meta(state), Meta.sizeBytes(form, state));
        } else if (meta != 0) {
            PageMaker.freeGroups(vmb, stripes, meta);
            space.freeMeta(stripes, meta, metaBytes);
        }
        if (known) {
            stripes.noteFree(page);
        }
        return packed;
    }

    /** Nothing is created in the page by now. */
    private void swing(long page, long form, long state, long meta) {
        vmb.move(Page.meta(state), meta, Meta.NEXT);
        if ((state & Page.EXTENDED) != 0) {
            vmb.move(Page.meta(state) + Meta.READ_ONLY, meta + Meta.READ_ONLY, Meta.EXTENDED_BYTES - Meta.READ_ONLY);
        }
        Stripe owner = stripes.get(Page.owner(state));
        owner.lock.lock();
        try {
            space.sparse.leave(page);
            vmb.setRelease(page + Page.STATE, (state & ~EntryLayout.ADDRESS_MASK) | meta);
            vmb.setRelease(page, Page.form(Page.PACKED, meta, PackedFiller.bandOf(Page.stride(form))));
        } finally {
            owner.lock.unlock();
        }
    }

    private boolean packGroups(long form, long state, long meta) {
        int stride = Page.stride(form);
        for (int group = 0; group < Group.PER_PAGE; group++) {
            long live = vmb.getAcquire(Page.meta(state) + 8L * group);
            long forwards =
                    (form & Page.HAS_FORWARDS) == 0 ? 0 : vmb.getAcquire(Page.meta(state) + Meta.FORWARDS + 8L * group);
            if (live == 0) {
                continue;
            }
            int capacity =
                    Long.bitCount(live & ~forwards) * stride + Long.bitCount(live & forwards) * EntryLayout.BYTES;
            long word = space.groupBlocks.make(blocks, false, Group.minimumFor(stride), capacity);
            if (word == 0) {
                return false;
            }
            vmb.setRelease(meta + Meta.GROUPS + 8L * group, word);
            space.groups.fill(word, live, forwards, Page.base(form) + (long) group * Group.LIDS * stride, stride);
        }
        return true;
    }
}
