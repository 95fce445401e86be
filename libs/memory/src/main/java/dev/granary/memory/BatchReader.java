package dev.granary.memory;

import static dev.granary.memory.EntryLayout.address;

import java.lang.foreign.MemorySegment;

/**
 * Reads many chunks. Small loops first touch what a group of chunks needs, entries and then payloads, so that the
 * cache misses of one group overlap; then each chunk is read for itself, from the cache. The touching is only a
 * hint: what it sees may be stale and is not used.
 */
final class BatchReader {

    private static final int GROUP = 64;

    private final Vmb vmb;
    private final CidTable table;
    private final Reader reader;

    BatchReader(Parts parts, Reader reader) {
        this.vmb = parts.vmb();
        this.table = parts.table();
        this.reader = reader;
    }

    /** See {@link ChunkMemory#get(long[], int, int, MemorySegment, long, long, int[])}. */
    int get(long[] cids, int from, int to, MemorySegment target, long offset, long capacityBytes, int[] sizes) {
        long[] entries = new long[Math.min(GROUP, to - from)];
        long written = 0;
        for (int first = from; first < to; first += GROUP) {
            int end = Math.min(to, first + GROUP);
            prepare(cids, first, end, entries);
            for (int i = first; i < end; i++) {
                long lid = cids[i] & ChunkMemory.MAX_LID;
                int size = reader.read(lid, entries[i - first], target, offset + written, capacityBytes - written);
                if (size == Reader.DOES_NOT_FIT) {
                    return i;
                }
                sizes[i] = size;
                written += Math.max(size, 0);
            }
        }
        return to;
    }

    private void prepare(long[] cids, int first, int end, long[] entries) {
        int count = end - first;
        for (int i = 0; i < count; i++) {
            entries[i] = table.find(cids[first + i] & ChunkMemory.MAX_LID);
        }
        long touched = 0;
        for (int i = 0; i < count; i++) {
            touched += entries[i] == 0 ? 0 : vmb.getAcquire(entries[i]);
        }
        for (int i = 0; i < count; i++) {
            long word = entries[i] == 0 ? 0 : vmb.getAcquire(entries[i]);
            touched += vmb.getByte(address(word));
        }
        if (touched == Long.MIN_VALUE) {
            // Practically never: it keeps the compiler from dropping the loops.
            Thread.onSpinWait();
        }
    }
}
