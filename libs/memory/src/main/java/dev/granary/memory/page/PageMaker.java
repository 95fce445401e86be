package dev.granary.memory.page;

import dev.granary.memory.arena.BlockSource;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.arena.Marker;
import dev.granary.memory.os.Vmb;

/** Makes pages out of empty ones. Under the page's exclusive latch; own pages also under their owner's lock. */
public final class PageMaker {

    private PageMaker() {}

    /** Returns false, and changes nothing, if there is no room. */
    public static boolean makeEntries(Space space, BlockSource blocks, long page, int owner) {
        Vmb vmb = space.vmb;
        long table = blocks.allocate(Space.ENTRY_TABLE_BYTES, EntryLayout.BYTES, Marker.OTHER);
        if (table == 0) {
            return false;
        }
        vmb.zero(table, Space.ENTRY_TABLE_BYTES);
        vmb.setRelease(page + Page.STATE, Page.state(0, owner));
        vmb.setRelease(page + Page.FORM, Page.form(Page.ENTRIES, table, 0));
        return true;
    }

    /** Returns false, and changes nothing, if there is no room. */
    static boolean makeTyped(Space space, BlockSource blocks, long page, int stride, int owner) {
        Vmb vmb = space.vmb;
        long base = blocks.allocate(Space.typedBytes(stride), Space.alignment(stride), Marker.OTHER);
        if (base == 0) {
            return false;
        }
        long meta = space.makeMeta(blocks, Meta.TYPED_BYTES);
        if (meta == 0) {
            blocks.free(base, Space.typedBytes(stride));
            return false;
        }
        vmb.setRelease(page + Page.STATE, Page.state(meta, owner));
        vmb.setRelease(page + Page.FORM, Page.form(Page.TYPED, base, stride));
        space.sparse.enter(page);
        return true;
    }

    /** Makes a typed or packed page that was just made an empty one again. */
    static void unmake(Space space, BlockSource blocks, long page) {
        Vmb vmb = space.vmb;
        long form = vmb.getAcquire(page);
        long state = vmb.getAcquire(page + Page.STATE);
        space.sparse.leave(page);
        vmb.setRelease(page, 0);
        vmb.setRelease(page + Page.STATE, 0);
        free(space, blocks, form, state);
    }

    /** Frees what a typed or packed page consisted of. */
    public static void free(Space space, BlockSource blocks, long form, long state) {
        if (Page.kind(form) == Page.TYPED) {
            blocks.free(Page.base(form), Space.typedBytes(Page.stride(form)));
        } else {
            freeGroups(space.vmb, blocks, Page.base(form));
        }
        space.freeMeta(blocks, Page.meta(state), Meta.sizeBytes(form, state));
    }

    /** Frees the groups of a packed page's meta block. */
    static void freeGroups(Vmb vmb, BlockSource blocks, long meta) {
        for (int i = 0; i < Group.PER_PAGE; i++) {
            long word = vmb.getAcquire(meta + Meta.GROUPS + 8L * i);
            if (word != 0) {
                blocks.free(EntryLayout.address(word), Group.blockBytes(vmb, word));
            }
        }
    }

    /** Returns false, and changes nothing, if there is no room. */
    public static boolean makePacked(Space space, BlockSource blocks, long page, int band, int owner) {
        Vmb vmb = space.vmb;
        long meta = space.makeMeta(blocks, Meta.PACKED_BYTES);
        if (meta == 0) {
            return false;
        }
        vmb.setRelease(page + Page.STATE, Page.state(meta, owner));
        vmb.setRelease(page + Page.FORM, Page.form(Page.PACKED, meta, band));
        return true;
    }
}
