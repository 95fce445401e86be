package dev.granary.memory;

import static dev.granary.memory.EntryLayout.address;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Copies many chunks out. Each step is a loop of its own over some dozens of chunks: then the processor waits for the
 * memory of many of them at once. One loop that does all steps for one chunk after the other is slower than single
 * gets.
 */
final class BatchReader {

    private static final int GROUP = 64;

    private final Space space;
    private final Vmb vmb;
    private final Reader reader;
    private final Locator locator;

    BatchReader(Space space, Reader reader) {
        this.space = space;
        this.vmb = space.vmb;
        this.reader = reader;
        this.locator = space.locator;
    }

    /** What is known of some chunks between the steps. */
    private static final class Steps {

        final long[] pages = new long[GROUP];
        final long[] latches = new long[GROUP];
        final long[] forms = new long[GROUP];
        final long[] addresses = new long[GROUP];
        final int[] sizes = new int[GROUP];
    }

    /** See {@link ChunkAccess#get(long[], int, int, MemorySegment, long, long, int[])}. */
    int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes) {
        Steps steps = new Steps();
        long written = 0;
        for (int first = from; first < to; first += GROUP) {
            int count = Math.min(GROUP, to - first);
            long copied = -1;
            findPages(steps, cids, first, count);
            if (locate(steps, cids, first, count) && touch(steps, count) != Long.MIN_VALUE) {
                copied = copy(steps, count, target, offset + written, capacityBytes - written);
            }
            if (copied >= 0) {
                System.arraycopy(steps.sizes, 0, sizes, first, count);
                written += copied;
                continue;
            }
            for (int i = first; i < first + count; i++) {
                int size = reader.read(
                        steps.pages[i - first], Page.slot(cids[i]), target, offset + written, capacityBytes - written);
                if (size == Reader.DOES_NOT_FIT) {
                    return i;
                }
                sizes[i] = size;
                written += Math.max(size, 0);
            }
        }
        return to;
    }

    private void findPages(Steps steps, long[] cids, int first, int count) {
        long[] pages = steps.pages;
        PageTable own = space.table;
        int nid = space.nid;
        for (int i = 0; i < count; i++) {
            long cid = cids[first + i];
            PageTable table = cid >>> 48 == nid ? own : space.nids.table((int) (cid >>> 48));
            pages[i] = table == null ? 0 : table.find(cid & ChunkMemory.MAX_LID);
        }
    }

    /** Computes where chunks are. Returns false if one is large or not inside: all are then read one by one. */
    private boolean locate(Steps steps, long[] cids, int first, int count) {
        long[] pages = steps.pages;
        long[] latches = steps.latches;
        long[] forms = steps.forms;
        boolean computed = true;
        for (int i = 0; i < count; i++) {
            long page = pages[i];
            long form = page == 0 ? 0 : vmb.getAcquire(page);
            latches[i] = page == 0 ? 0 : vmb.getAcquire(page + Page.LATCH);
            forms[i] = form;
            int stride = Page.stride(form);
            steps.addresses[i] = Page.base(form) + (long) Page.slot(cids[first + i]) * stride;
            steps.sizes[i] = stride;
            computed &= (form & Page.ALL_LIVE) != 0;
        }
        return computed || locateOthers(steps, cids, first, count);
    }

    private boolean locateOthers(Steps steps, long[] cids, int first, int count) {
        long touched = 0;
        for (int i = 0; i < count; i++) {
            touched += touchMeta(steps.pages[i], steps.forms[i], Page.slot(cids[first + i]));
        }
        for (int i = 0; i < count; i++) {
            touched += touchGroup(steps.forms[i], Page.slot(cids[first + i]));
        }
        if (touched == Long.MIN_VALUE) {
            // Practically never: it keeps the compiler from dropping the loops.
            return false;
        }
        for (int i = 0; i < count; i++) {
            if ((steps.forms[i] & Page.ALL_LIVE) != 0) {
                continue;
            }
            long entry = steps.pages[i] == 0
                    ? EntryLayout.NO_CHUNK
                    : locator.locate(steps.pages[i], steps.latches[i], steps.forms[i], Page.slot(cids[first + i]));
            int size = entry == EntryLayout.NO_CHUNK ? ChunkMemory.ABSENT : EntryLayout.embeddedSize(entry);
            if (!EntryLayout.hasEmbeddedSize(entry) || !vmb.contains(address(entry), Math.max(0, size))) {
                return false;
            }
            steps.addresses[i] = address(entry);
            steps.sizes[i] = size;
        }
        return true;
    }

    /** Asks for the first and the last bytes of all chunks. */
    private long touch(Steps steps, int count) {
        long touched = 0;
        for (int i = 0; i < count; i++) {
            touched += vmb.getByte(steps.addresses[i]);
        }
        for (int i = 0; i < count; i++) {
            touched += vmb.getByte(steps.addresses[i] + Math.max(0, steps.sizes[i] - 1));
        }
        return touched;
    }

    /** Returns the bytes written, or -1 if there is not room for all, or something was changed meanwhile. */
    private long copy(Steps steps, int count, MemorySegment target, long offset, long capacityBytes) {
        long written = 0;
        for (int i = 0; i < count; i++) {
            int size = steps.sizes[i];
            if (size > capacityBytes - written) {
                return -1;
            }
            if (size > 0) {
                vmb.copyOut(steps.addresses[i], target, offset + written, size);
                written += size;
            }
        }
        VarHandle.acquireFence();
        boolean unchanged = true;
        for (int i = 0; i < count; i++) {
            long page = steps.pages[i];
            unchanged &= page == 0
                    || (Latch.isReadable(steps.latches[i])
                            && vmb.getAcquire(page) == steps.forms[i]
                            && Latch.isUnchanged(vmb, page + Page.LATCH, steps.latches[i]));
        }
        return unchanged ? written : -1;
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
