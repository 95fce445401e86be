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

    /** See {@link ChunkAccess#get(long[], int, int, MemorySegment, long, long, int[])}. */
    int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes) {
        Group64 group = new Group64();
        long written = 0;
        for (int first = from; first < to; first += GROUP) {
            int count = Math.min(GROUP, to - first);
            group.find(cids, first, count);
            group.locate(cids, first, count);
            long end = group.copy(sizes, first, count, target, offset + written, capacityBytes - written);
            if (end >= 0) {
                written += end;
                continue;
            }
            for (int i = first; i < first + count; i++) {
                int size = reader.read(
                        group.pages[i - first], Page.slot(cids[i]), target, offset + written, capacityBytes - written);
                if (size == Reader.DOES_NOT_FIT) {
                    return i;
                }
                sizes[i] = size;
                written += Math.max(size, 0);
            }
        }
        return to;
    }

    /** The steps, and what is known of the chunks between them. */
    private final class Group64 {

        final long[] pages = new long[GROUP];
        private final long[] latches = new long[GROUP];
        private final long[] entries = new long[GROUP];

        void find(long[] cids, int first, int count) {
            for (int i = 0; i < count; i++) {
                long cid = cids[first + i];
                PageTable table = cid >>> 48 == space.nid ? space.table : space.nids.table((int) (cid >>> 48));
                pages[i] = table == null ? 0 : table.find(cid & ChunkMemory.MAX_LID);
            }
        }

        /** After this, entries are where chunks are, and their first bytes are on the way to the processor. */
        void locate(long[] cids, int first, int count) {
            long touched = 0;
            boolean computed = true;
            for (int i = 0; i < count; i++) {
                long page = pages[i];
                if (page == 0) {
                    entries[i] = EntryLayout.NO_CHUNK;
                    continue;
                }
                latches[i] = vmb.getAcquire(page + Page.LATCH);
                long form = vmb.getAcquire(page);
                if ((form & Page.ALL_LIVE) != 0) {
                    int stride = Page.stride(form);
                    entries[i] =
                            EntryLayout.entry(Page.base(form) + (long) Page.slot(cids[first + i]) * stride, stride);
                } else {
                    entries[i] = -1;
                    computed = false;
                    touched += touchMeta(page, form, Page.slot(cids[first + i]));
                }
            }
            if (!computed) {
                touched += touchGroups(cids, first, count);
                for (int i = 0; i < count; i++) {
                    if (entries[i] == -1) {
                        entries[i] = locator.locate(
                                pages[i], latches[i], vmb.getAcquire(pages[i]), Page.slot(cids[first + i]));
                    }
                }
            }
            for (int i = 0; i < count; i++) {
                touched += vmb.getByte(address(entries[i]));
            }
            if (touched == Long.MIN_VALUE) {
                // Practically never: it keeps the compiler from dropping the loops.
                Thread.onSpinWait();
            }
        }

        /** Returns the bytes written, or -1 if one does not fit, is large, or was changed meanwhile. */
        long copy(int[] sizes, int first, int count, MemorySegment target, long offset, long capacityBytes) {
            long written = 0;
            for (int i = 0; i < count; i++) {
                long entry = entries[i];
                int size = ChunkMemory.ABSENT;
                if (entry != EntryLayout.NO_CHUNK) {
                    size = EntryLayout.embeddedSize(entry);
                    if (!EntryLayout.hasEmbeddedSize(entry)
                            || size > capacityBytes - written
                            || !vmb.contains(address(entry), size)) {
                        return -1;
                    }
                    vmb.copyOut(address(entry), target, offset + written, size);
                    written += size;
                }
                sizes[first + i] = size;
            }
            VarHandle.acquireFence();
            for (int i = 0; i < count; i++) {
                if (pages[i] != 0
                        && (!Latch.isReadable(latches[i])
                                || !Latch.isUnchanged(vmb, pages[i] + Page.LATCH, latches[i]))) {
                    return -1;
                }
            }
            return written;
        }

        private long touchMeta(long page, long form, int index) {
            return switch (Page.kind(form)) {
                case Page.ENTRIES -> vmb.getAcquire(Page.base(form) + (long) index * EntryLayout.BYTES);
                case Page.TYPED -> vmb.getAcquire(Meta.word(Page.meta(vmb.getAcquire(page + Page.STATE)), index));
                case Page.PACKED -> vmb.getAcquire(Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3));
                default -> 0;
            };
        }

        /** Touches the heads of the groups. They are true only if the latch says so, but inside the VMB anyway. */
        private long touchGroups(long[] cids, int first, int count) {
            long touched = 0;
            for (int i = 0; i < count; i++) {
                long form = entries[i] == -1 ? vmb.getAcquire(pages[i]) : 0;
                if (Page.kind(form) == Page.PACKED) {
                    int index = Page.slot(cids[first + i]);
                    long block = address(
                            vmb.getAcquire(Page.base(form) + Meta.GROUPS + ((long) index >>> Group.SHIFT << 3)));
                    touched += vmb.contains(block, Group.CODES) ? vmb.getShort(block) : 0;
                }
            }
            return touched;
        }
    }
}
