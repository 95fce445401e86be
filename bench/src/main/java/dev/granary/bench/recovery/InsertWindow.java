package dev.granary.bench.recovery;

import dev.granary.log.batch.EntryVisitor;
import dev.granary.memory.ChunkMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Collects the chunks of a replay and inserts many at once, in the order of the CIDs, as a recovering peer does. */
final class InsertWindow implements EntryVisitor, AutoCloseable {

    private static final int MAX_CHUNKS = 1 << 19;
    private static final int NUMBER_BITS = 20;
    private static final long WINDOW_BYTES = 64L << 20;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment window = arena.allocate(WINDOW_BYTES);
    private final ChunkMemory memory;
    private final long[] keys = new long[MAX_CHUNKS];
    private final long[] starts = new long[MAX_CHUNKS];
    private final int[] lengths = new int[MAX_CHUNKS];
    private final long[] cids = new long[MAX_CHUNKS];
    private final long[] offsets = new long[MAX_CHUNKS];
    private final int[] sizes = new int[MAX_CHUNKS];
    private int count;
    private long filledBytes;

    InsertWindow(ChunkMemory memory) {
        this.memory = memory;
    }

    @Override
    public void chunk(long cid, long epoch, long sequence, MemorySegment bytes, long offset, int length) {
        if (count == MAX_CHUNKS || filledBytes + length > WINDOW_BYTES) {
            flush();
        }
        keys[count] = LogBenchmark.lid(cid) << NUMBER_BITS | count;
        starts[count] = filledBytes;
        lengths[count] = length;
        MemorySegment.copy(bytes, offset, window, filledBytes, length);
        filledBytes += length;
        count++;
    }

    /** Inserts the collected chunks. */
    void flush() {
        Arrays.sort(keys, 0, count);
        for (int i = 0; i < count; i++) {
            int number = (int) keys[i] & ((1 << NUMBER_BITS) - 1);
            cids[i] = LogBenchmark.cid(keys[i] >>> NUMBER_BITS);
            offsets[i] = starts[number];
            sizes[i] = lengths[number];
        }
        memory.insertOrReplace(cids, 0, count, window, offsets, sizes);
        count = 0;
        filledBytes = 0;
    }

    @Override
    public void close() {
        arena.close();
    }
}
