package dev.granary.memory.page;

import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.lock.Latch;
import dev.granary.memory.os.Vmb;
import java.lang.invoke.VarHandle;

/**
 * Finds where the chunk of a slot is. What it says is true under the page's latch; without it, it must be validated,
 * and is an address inside the VMB or none in any case.
 */
public final class Locator {

    private final Vmb vmb;

    Locator(Vmb vmb) {
        this.vmb = vmb;
    }

    /**
     * Where a chunk is, as a word of {@link EntryLayout}, or {@link EntryLayout#NO_CHUNK}.
     *
     * @param page directory entry
     * @param latch the latch as it was read before the form, or {@link Latch#HELD}
     */
    public long locate(long page, long latch, long form, int index) {
        return switch (Page.kind(form)) {
            case Page.NONE -> EntryLayout.NO_CHUNK;
            case Page.ENTRIES -> vmb.getAcquire(Page.base(form) + (long) index * EntryLayout.BYTES);
            case Page.TYPED -> locateTyped(page, latch, form, index);
            default -> locatePacked(page, latch, form, index);
        };
    }

    private long locateTyped(long page, long latch, long form, int index) {
        int stride = Page.stride(form);
        long address = Page.base(form) + (long) index * stride;
        if ((form & Page.ALL_LIVE) == 0) {
            long meta = Page.meta(vmb.getAcquire(page + Page.STATE));
            if (!Meta.isSet(vmb, meta, index)) {
                return EntryLayout.NO_CHUNK;
            }
            if ((form & Page.HAS_FORWARDS) != 0
                    && Meta.isSet(vmb, meta + Meta.FORWARDS, index)
                    && Latch.isUnchanged(vmb, page + Page.LATCH, latch)) {
                return forward(page, latch, address);
            }
        }
        return EntryLayout.entry(address, stride);
    }

    private long locatePacked(long page, long latch, long form, int index) {
        long meta = Page.base(form);
        long word = vmb.getAcquire(meta + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3));
        if (!Meta.isSet(vmb, meta, index) || word == 0 || !Latch.isUnchanged(vmb, page + Page.LATCH, latch)) {
            return EntryLayout.NO_CHUNK;
        }
        int inGroup = index & (Group.LIDS - 1);
        // Read once: it may change, and what is said of a chunk in the group must not become a word read from there.
        int code = Group.code(vmb, word, inGroup);
        if (code == Group.forwardCode(word)) {
            return forward(page, latch, Group.payload(word) + Group.offset(vmb, word, inGroup));
        }
        return Group.locate(vmb, word, inGroup, code);
    }

    /** The word in a slot, if the latch says that the slot still holds one. */
    private long forward(long page, long latch, long address) {
        long entry = vmb.contains(address, EntryLayout.BYTES) ? vmb.getLong(address) : EntryLayout.NO_CHUNK;
        VarHandle.acquireFence();
        return Latch.isUnchanged(vmb, page + Page.LATCH, latch) ? entry : EntryLayout.NO_CHUNK;
    }
}
