package dev.granary.storage.migrate;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.MigrationMessages.MigrationData;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** Reads chunks from chunk memory into parts of messages, some hundred KiB at a time. Used by one thread. */
final class ChunkPages {

    /** About how large a part becomes, unless one chunk alone is larger. */
    static final int PART_BYTES = 256 << 10;

    private static final int MAX_CHUNKS = 4096;

    /** The most CIDs that one call looks at, so that other work does not wait long. */
    private static final int MAX_ABSENT = 1 << 16;

    private final ChunkMemory memory;
    private final MigrationMetrics metrics;
    private final long[] cids = new long[MAX_CHUNKS];
    private final int[] sizes = new int[MAX_CHUNKS];
    private byte[] buffer = new byte[PART_BYTES];
    private long chunks;
    private long bytes;

    ChunkPages(ChunkMemory memory, MigrationMetrics metrics) {
        this.memory = memory;
        this.metrics = metrics;
    }

    /** Returns how many chunks were read so far. */
    long chunks() {
        return chunks;
    }

    /** Returns how many bytes these chunks have. */
    long bytes() {
        return bytes;
    }

    /**
     * Appends the chunks from a CID on, up to the end of a span or as many as a part takes. CIDs without a chunk are
     * left out, and where many of them follow one another one call passes over them.
     *
     * @return the CID to go on with; one behind the span when all of the span was read
     */
    long readSpan(long fromCid, long endCidInclusive, ByteBuf out) {
        long next = fromCid;
        long left = Math.min(MAX_ABSENT, endCidInclusive - fromCid + 1);
        int done;
        do {
            int asked = (int) Math.min(MAX_CHUNKS, left);
            for (int i = 0; i < asked; i++) {
                cids[i] = next + i;
            }
            done = read(asked);
            next += done;
            left -= done;
        } while (left > 0 && isAbsent(done));
        append(done, false, out);
        return next;
    }

    /** Whether none of the CIDs that were read last has a chunk. */
    private boolean isAbsent(int done) {
        for (int i = 0; i < done; i++) {
            if (sizes[i] != ChunkMemory.ABSENT) {
                return false;
            }
        }
        return true;
    }

    /**
     * Appends the chunks with these CIDs, or as many as a part takes. For a CID without a chunk it appends that the
     * chunk does not exist.
     *
     * @return the index to go on with
     */
    int readThese(long[] wanted, int from, ByteBuf out) {
        int asked = Math.min(MAX_CHUNKS, wanted.length - from);
        System.arraycopy(wanted, from, cids, 0, asked);
        int done = read(asked);
        append(done, true, out);
        return from + done;
    }

    private int read(int asked) {
        while (true) {
            MemorySegment target = MemorySegment.ofArray(buffer);
            int done = memory.get(cids, 0, asked, target, 0, buffer.length, sizes);
            if (done > 0 || asked == 0) {
                return done;
            }
            buffer = new byte[Math.max(2 * buffer.length, memory.sizeOf(cids[0]))];
        }
    }

    private void append(int done, boolean sayAbsent, ByteBuf out) {
        int count = 0;
        int payloadBytes = 0;
        long before = chunks;
        int countIndex = out.writerIndex();
        out.writeIntLE(0);
        for (int i = 0; i < done; i++) {
            if (sizes[i] != ChunkMemory.ABSENT || sayAbsent) {
                out.writeLongLE(cids[i]);
                count++;
            }
        }
        for (int i = 0; i < done; i++) {
            if (sizes[i] != ChunkMemory.ABSENT) {
                out.writeIntLE(sizes[i]);
                payloadBytes += sizes[i];
                chunks++;
            } else if (sayAbsent) {
                out.writeIntLE(MigrationData.NO_CHUNK);
            }
        }
        out.setIntLE(countIndex, count);
        out.writeBytes(buffer, 0, payloadBytes);
        bytes += payloadBytes;
        metrics.moved(MigrationMetrics.Direction.OUT, chunks - before, payloadBytes);
        if (buffer.length > PART_BYTES) {
            // A buffer that a large chunk has made large is not kept.
            buffer = new byte[PART_BYTES];
        }
    }
}
