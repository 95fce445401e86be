package dev.granary.memory.page;

import static dev.granary.memory.arena.EntryLayout.address;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.arena.EntryLayout;
import dev.granary.memory.os.Vmb;

/**
 * The steps that operations on many chunks have in common: find the pages, compute where the chunks are, ask for their
 * bytes. Each is a loop of its own over some dozens of chunks: then the processor waits for the memory of many of them
 * at once. One loop that does all steps for one chunk after the other is slower than single operations.
 *
 * <p>Belongs to one call.
 */
public final class BatchSteps {

    /** How many chunks go through the steps together. */
    public static final int GROUP = 64;

    /** Two to this many bytes are a cache line. */
    private static final int LINE_SHIFT = 6;

    public final long[] pages = new long[GROUP];
    public final long[] latches = new long[GROUP];
    final long[] forms = new long[GROUP];
    final long[] addresses = new long[GROUP];
    final int[] sizes = new int[GROUP];

    private final Space space;
    private final Vmb vmb;
    private final Locator locator;

    /** Whether the bytes of some chunk lie in more than one cache line. */
    private boolean crossing;

    public BatchSteps(Space space) {
        this.space = space;
        this.vmb = space.vmb;
        this.locator = space.locator;
    }

    /** Fills {@link #pages}: directory entries, 0 where there is none. */
    public void findPages(long[] cids, int first, int count) {
        PageTable own = space.table;
        int nid = space.nid;
        if (own.findAll(cids, first, count, nid, pages)) {
            return;
        }
        for (int i = 0; i < count; i++) {
            pages[i] = space.pageOf(cids[first + i]);
        }
    }

    /** Computes where chunks are. Returns false if one is large or not inside: all are then read one by one. */
    public boolean locate(long[] cids, int first, int count) {
        if (touchPages(count) == Long.MIN_VALUE) {
            return false;
        }
        boolean computed = true;
        long crossed = 0;
        for (int i = 0; i < count; i++) {
            long page = pages[i];
            // The latch comes first: a form that is read while it does not change is the one of its word.
            latches[i] = page == 0 ? 0 : vmb.getAcquire(page + Page.LATCH);
            long form = page == 0 ? 0 : vmb.getAcquire(page);
            forms[i] = form;
            int stride = Page.stride(form);
            long address = Page.base(form) + (long) Page.slot(cids[first + i]) * stride;
            addresses[i] = address;
            sizes[i] = stride;
            computed &= (form & Page.ALL_LIVE) != 0;
            crossed |= address ^ (address + stride - 1);
        }
        crossing = !computed || crossed >>> LINE_SHIFT != 0;
        return computed || locateOthers(cids, first, count);
    }

    /** Asks for the directory entries. A loop of its own: one that also stores waits for fewer of them at once. */
    private long touchPages(int count) {
        long touched = 0;
        for (int i = 0; i < count; i++) {
            touched += vmb.getByte(pages[i]);
        }
        return touched;
    }

    private boolean locateOthers(long[] cids, int first, int count) {
        long touched = 0;
        for (int i = 0; i < count; i++) {
            touched += touchMeta(pages[i], forms[i], Page.slot(cids[first + i]));
        }
        for (int i = 0; i < count; i++) {
            touched += touchGroup(forms[i], Page.slot(cids[first + i]));
        }
        if (touched == Long.MIN_VALUE) {
            // Practically never: it keeps the compiler from dropping the loops.
            return false;
        }
        for (int i = 0; i < count; i++) {
            if ((forms[i] & Page.ALL_LIVE) != 0) {
                continue;
            }
            long entry = pages[i] == 0
                    ? EntryLayout.NO_CHUNK
                    : locator.locate(pages[i], latches[i], forms[i], Page.slot(cids[first + i]));
            int size = entry == EntryLayout.NO_CHUNK ? ChunkMemory.ABSENT : EntryLayout.embeddedSize(entry);
            if (!EntryLayout.hasEmbeddedSize(entry) || !vmb.contains(address(entry), Math.max(0, size))) {
                return false;
            }
            addresses[i] = address(entry);
            sizes[i] = size;
        }
        return true;
    }

    /** Asks for the first and the last bytes of all chunks. */
    public long touch(int count) {
        long touched = 0;
        for (int i = 0; i < count; i++) {
            touched += vmb.getByte(addresses[i]);
        }
        if (crossing) {
            for (int i = 0; i < count; i++) {
                touched += vmb.getByte(addresses[i] + Math.max(0, sizes[i] - 1));
            }
        }
        return touched;
    }

    private long touchMeta(long page, long form, int index) {
        return switch (Page.kind(form)) {
            case Page.ENTRIES -> vmb.getAcquire(Page.base(form) + (long) index * EntryLayout.BYTES);
            case Page.TYPED -> vmb.getAcquire(Meta.word(Page.meta(vmb.getAcquire(page + Page.STATE)), index));
            case Page.PACKED -> vmb.getAcquire(Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3));
            default -> 0;
        };
    }

    /** Asks for the head of a packed chunk's group. Its word is true only if the latch says so. */
    private long touchGroup(long form, int index) {
        if (Page.kind(form) != Page.PACKED) {
            return 0;
        }
        long block = address(vmb.getAcquire(Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3)));
        return vmb.contains(block, Group.CODES) ? vmb.getShort(block) : 0;
    }
}
