package dev.granary.storage.data;

import dev.granary.memory.ChunkMemory;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/**
 * Writes the reply of one get, from chunk memory straight into the network buffer.
 *
 * <pre>
 *   start    start+4               payloads
 *   +--------+---------------------+--------------------------------+
 *   | done   | results[count]      | payloads of the sizes among    |
 *   |        |                     | results[0..done)               |
 *   +--------+---------------------+--------------------------------+
 * </pre>
 *
 * When fewer than count are done the payloads are moved down over the unused results. One thread.
 */
final class GetReader {

    /** Room for a payload of usual size, so that most replies never grow. */
    private static final int TYPICAL_CHUNK_BYTES = 64;

    private static final int MAX_FIRST_ROOM_BYTES = 1 << 20;

    private final ServedChunks chunks;
    private final Scratch scratch;
    private final int count;
    private final ByteBuf out;
    private final int start;

    /** The most bytes of payloads; more than the soft limit only when the first chunk alone is larger. */
    private int limitBytes = ChunkLayouts.GET_REPLY_SOFT_BYTES;

    /**
     * A reader for the first {@code count} CIDs of the scratch.
     *
     * @param out the reply, its writer index where the payload begins
     */
    GetReader(ServedChunks chunks, Scratch scratch, int count, ByteBuf out) {
        this.chunks = chunks;
        this.scratch = scratch;
        this.count = count;
        this.out = out;
        this.start = out.writerIndex();
    }

    /** The expected size of a reply. */
    static int hintBytes(int count) {
        return Integer.BYTES + count * Integer.BYTES + Math.min(MAX_FIRST_ROOM_BYTES, count * TYPICAL_CHUNK_BYTES);
    }

    /** Writes the whole payload of the reply and returns how many CIDs were done; their results are in the scratch. */
    int read() {
        int payloadStart = start + Integer.BYTES + count * Integer.BYTES;
        out.ensureWritable(hintBytes(count));
        int payloadBytes = 0;
        int done = 0;
        while (done < count) {
            int status = chunks.statusOf(scratch.cids[done]);
            if (status != ChunkStatus.OK) {
                scratch.results[done++] = -status;
                continue;
            }
            int runEnd = chunks.endOfRun(scratch.cids, done, count);
            int room = Math.min(out.capacity() - payloadStart - payloadBytes, limitBytes - payloadBytes);
            MemorySegment target = Segments.of(out, payloadStart + payloadBytes, room);
            int next = chunks.memory().get(scratch.cids, done, runEnd, target, 0, room, scratch.results);
            payloadBytes += takeSizes(done, next);
            done = next;
            if (next < runEnd && !makeRoom(scratch.cids[next], payloadStart, payloadBytes, done)) {
                break;
            }
        }
        finish(done, payloadStart, payloadBytes);
        return done;
    }

    /** Turns the memory's results into those of the protocol and adds the sizes up. */
    private int takeSizes(int from, int to) {
        int sum = 0;
        for (int i = from; i < to; i++) {
            int size = scratch.results[i];
            if (size == ChunkMemory.ABSENT) {
                scratch.results[i] = -ChunkStatus.NOT_FOUND;
            } else {
                sum += size;
            }
        }
        return sum;
    }

    /** Grows the buffer for the next chunk; false when the reply is large enough and the caller shall ask again. */
    private boolean makeRoom(long nextCid, int payloadStart, int payloadBytes, int done) {
        int neededBytes = Math.max(0, chunks.memory().sizeOf(nextCid));
        if (done == 0) {
            limitBytes = Math.max(limitBytes, neededBytes);
        } else if ((long) payloadBytes + neededBytes > limitBytes) {
            return false;
        }
        // At least doubled, so that a long batch grows the buffer a few times only.
        int wantedBytes = Math.max(neededBytes, Math.min(payloadBytes, limitBytes - payloadBytes));
        out.writerIndex(payloadStart + payloadBytes);
        out.ensureWritable(Math.max(wantedBytes, TYPICAL_CHUNK_BYTES));
        out.writerIndex(start);
        return true;
    }

    private void finish(int done, int payloadStart, int payloadBytes) {
        int unusedBytes = (count - done) * Integer.BYTES;
        out.setIntLE(start, done);
        Segments.setInts(out, start + Integer.BYTES, scratch.results, done);
        if (unusedBytes > 0 && payloadBytes > 0) {
            MemorySegment all = Segments.of(out, payloadStart - unusedBytes, unusedBytes + payloadBytes);
            MemorySegment.copy(all, unusedBytes, all, 0, payloadBytes);
        }
        out.writerIndex(payloadStart - unusedBytes + payloadBytes);
    }
}
