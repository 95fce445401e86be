package dev.granary.storage.recover;

import dev.granary.log.batch.EntryVisitor;
import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.overlay.Cid;
import dev.granary.storage.data.LearntRequests;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects the chunks of a replay in the order of the log, and puts them into memory in the order of their CIDs, at
 * most {@value #MAX_CHUNKS} at once. So whole pages are laid out in one step. A chunk costs no allocation. Used by one
 * thread at a time.
 *
 * <pre>
 *  buffer    | bytes of chunk 0 | bytes of chunk 1 | ...                  as they are told
 *  keys      | CID less the smallest (44 bits) | number of the chunk (20) |   sorted, then written out
 * </pre>
 */
final class ReplayWindow implements EntryVisitor, AutoCloseable {

    /** Many zones are small, and a machine that has ended leaves many of them. */
    private static final int INITIAL_BYTES = 1 << 16;

    private static final int INITIAL_CHUNKS = 1 << 10;
    private static final int INDEX_BITS = 20;

    /** The bytes of a chunk in the tables: CID, offset, size; a chunk that is being sorted has a key as well. */
    private static final long ENTRY_BYTES = 2 * Long.BYTES + Integer.BYTES;

    private static final long SORTED_BYTES = 3 * Long.BYTES + Integer.BYTES;

    /** The most chunks of a window: an index has {@code INDEX_BITS} bits. */
    static final int MAX_CHUNKS = 1 << INDEX_BITS;

    private static final long MAX_WIDTH = 1L << (Long.SIZE - 1 - INDEX_BITS);

    private final ChunkMemory memory;
    private final Spans spans;
    private final LearntRequests requests;
    private final int maxBytes;
    private final int maxChunks;

    /** The CIDs that were put into memory; null when nobody needs them. */
    private final @Nullable CidList received;

    private final Meter meter;

    /** The bytes that were reported to the meter. */
    private long meteredBytes;

    private long meteredTableBytes;

    private Arena arena = Arena.ofShared();
    private MemorySegment buffer = arena.allocate(INITIAL_BYTES);
    private long usedBytes;
    private int count;
    private long smallest;
    private long largest;
    private long[] cids = new long[INITIAL_CHUNKS];
    private long[] offsets = new long[INITIAL_CHUNKS];
    private int[] sizes = new int[INITIAL_CHUNKS];
    private long[] keys = new long[INITIAL_CHUNKS];
    private long[] sortedCids = new long[INITIAL_CHUNKS];
    private long[] sortedOffsets = new long[INITIAL_CHUNKS];
    private int[] sortedSizes = new int[INITIAL_CHUNKS];
    private long chunks;
    private long bytes;

    /**
     * Makes an empty window.
     *
     * @param spans the spans of the zone; chunks outside of them are ignored
     * @param bounds about how much the window collects before it puts that into memory
     * @param received gets the CIDs of chunks that were put into memory, or null
     * @param meter counts what the window takes
     */
    ReplayWindow(
            ChunkMemory memory,
            Spans spans,
            LearntRequests requests,
            WindowBounds bounds,
            @Nullable CidList received,
            Meter meter) {
        this.memory = memory;
        this.spans = spans;
        this.requests = requests;
        this.maxBytes = bounds.maxBytes();
        this.maxChunks = Math.clamp(bounds.maxChunks(), 1, MAX_CHUNKS);
        this.received = received;
        this.meter = meter;
        meter();
    }

    /** Adds up what all windows take. */
    @FunctionalInterface
    interface Meter {
        /** Notes that a window and its tables have grown or shrunk. */
        void changed(long changeBytes, long changeTableBytes);
    }

    private void meter() {
        meterAs(buffer.byteSize(), ENTRY_BYTES * cids.length + SORTED_BYTES * keys.length);
    }

    private void meterAs(long sizeBytes, long tableBytes) {
        meter.changed(sizeBytes - meteredBytes, tableBytes - meteredTableBytes);
        meteredBytes = sizeBytes;
        meteredTableBytes = tableBytes;
    }

    /** Returns how many chunks were put into memory. */
    long chunks() {
        return chunks;
    }

    /** Returns how many bytes these chunks have. */
    long bytes() {
        return bytes;
    }

    /**
     * Takes a chunk.
     *
     * @throws OutOfChunkMemoryException when there is no room for the chunks that came before
     */
    @Override
    public void chunk(long cid, long epoch, long sequence, MemorySegment source, long offset, int length) {
        if (!spans.contains(cid)) {
            return;
        }
        makeRoom(cid, length);
        MemorySegment.copy(source, offset, buffer, usedBytes, length);
        smallest = count == 0 || cid < smallest ? cid : smallest;
        largest = count == 0 || cid > largest ? cid : largest;
        cids[count] = cid;
        offsets[count] = usedBytes;
        sizes[count++] = length;
        usedBytes += length;
    }

    @Override
    public void request(
            long clientId,
            long requestSequence,
            long ackedSequence,
            long epoch,
            long sequence,
            MemorySegment source,
            long offset,
            int length) {
        requests.request(clientId, requestSequence, ackedSequence, source, offset, length);
    }

    @Override
    public void token(long cid, long token, long epoch, long sequence) {
        // LID 0 stands for all chunks whose tokens are not known one by one.
        if (Cid.lid(cid) == 0 || spans.contains(cid)) {
            requests.token(cid, token);
        }
    }

    private void makeRoom(long cid, int length) {
        // All CIDs of a zone have one NID, so that signed order and distance are those of the LIDs.
        boolean tooWide = count > 0 && Math.max(largest, cid) - Math.min(smallest, cid) >= MAX_WIDTH;
        if (count == maxChunks || tooWide || (count > 0 && usedBytes + length > maxBytes)) {
            flush();
        }
        if (count == cids.length) {
            int more = Math.min(2 * count, maxChunks);
            cids = Arrays.copyOf(cids, more);
            offsets = Arrays.copyOf(offsets, more);
            sizes = Arrays.copyOf(sizes, more);
            meter();
        }
        if (usedBytes + length > buffer.byteSize()) {
            grow(Math.max(usedBytes + length, Math.min(2 * buffer.byteSize(), maxBytes)));
        }
    }

    private void grow(long sizeBytes) {
        Arena next = Arena.ofShared();
        MemorySegment larger = next.allocate(sizeBytes);
        MemorySegment.copy(buffer, 0, larger, 0, usedBytes);
        arena.close();
        arena = next;
        buffer = larger;
        meter();
    }

    /**
     * Puts the collected chunks into memory. If a chunk came twice, its later content counts.
     *
     * @throws OutOfChunkMemoryException when there is no room
     */
    void flush() {
        if (count == 0) {
            return;
        }
        if (keys.length < count) {
            keys = new long[cids.length];
            sortedCids = new long[cids.length];
            sortedOffsets = new long[cids.length];
            sortedSizes = new int[cids.length];
            meter();
        }
        for (int i = 0; i < count; i++) {
            keys[i] = (cids[i] - smallest) << INDEX_BITS | i;
        }
        Arrays.sort(keys, 0, count);
        int distinct = 0;
        for (int i = 0; i < count; i++) {
            if (i + 1 < count && keys[i] >>> INDEX_BITS == keys[i + 1] >>> INDEX_BITS) {
                continue;
            }
            int index = (int) keys[i] & (MAX_CHUNKS - 1);
            sortedCids[distinct] = cids[index];
            sortedOffsets[distinct] = offsets[index];
            sortedSizes[distinct++] = sizes[index];
            bytes += sizes[index];
        }
        count = 0;
        usedBytes = 0;
        if (received != null) {
            // Before the chunks are put, so that chunks of a put that fails half-way are known, too.
            received.addAll(sortedCids, distinct);
        }
        memory.insertOrReplace(sortedCids, 0, distinct, buffer, sortedOffsets, sortedSizes);
        chunks += distinct;
    }

    /** Gives the buffer back; what was not flushed is dropped. */
    @Override
    public void close() {
        arena.close();
        meterAs(0, 0);
    }
}
