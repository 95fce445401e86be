package dev.granary.storage.data;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.OutOfChunkMemoryException;
import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.ChunkStatus;
import dev.granary.net.message.MutationHeader;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Carries out creates, puts and deletes: checks the whole request first, then changes chunk memory straight from the
 * network buffer and writes the reply's payload. Stateless.
 */
final class ChunkChanges {

    private ChunkChanges() {}

    /**
     * Reads what follows the header into the scratch and checks it, up to where payloads begin.
     *
     * @throws FrameException when the request is malformed
     * @throws TooLargeException when a chunk is larger than a frame can carry
     */
    static void check(Operation operation, MutationHeader header, ByteBuf in, Scratch scratch) {
        int count = header.count();
        scratch.reserve(count);
        int allowedFlags = operation == Operation.CREATE ? ChunkLayouts.FLAG_ZEROED : ChunkLayouts.FLAG_TOKENS;
        if ((header.flags() & ~allowedFlags) != 0) {
            throw new FrameException("flags 0x%x are unknown".formatted(header.flags()));
        }
        long expectedBytes = 0;
        if (operation != Operation.CREATE) {
            requireBytes(in, (long) count * Long.BYTES);
            Segments.readLongs(in, scratch.cids, count);
        }
        if (operation != Operation.DELETE) {
            requireBytes(in, (long) count * Integer.BYTES);
            Segments.readInts(in, scratch.sizes, count);
            checkSizes(scratch.sizes, count);
            expectedBytes = isZeroed(header) ? 0 : scratch.sumOfSizes(count);
        }
        if (hasTokens(header)) {
            readTokens(in, scratch, count);
        }
        if (in.readableBytes() != expectedBytes) {
            throw new FrameException(
                    "the payloads have " + in.readableBytes() + " bytes, their sizes add up to " + expectedBytes);
        }
    }

    /** Reads the tokens of locks, one for each chunk. */
    static void readTokens(ByteBuf in, Scratch scratch, int count) {
        requireBytes(in, (long) count * Long.BYTES);
        Segments.readLongs(in, scratch.tokens, count);
        for (int i = 0; i < count; i++) {
            if (scratch.tokens[i] < 0) {
                throw new FrameException("the token " + scratch.tokens[i] + " of a lock is negative");
            }
        }
    }

    private static boolean hasTokens(MutationHeader header) {
        return (header.flags() & ChunkLayouts.FLAG_TOKENS) != 0;
    }

    private static void requireBytes(ByteBuf in, long sizeBytes) {
        if (in.readableBytes() < sizeBytes) {
            throw new FrameException(
                    "the request ends after " + in.readableBytes() + " of " + sizeBytes + " bytes of numbers");
        }
    }

    private static void checkSizes(int[] sizes, int count) {
        for (int i = 0; i < count; i++) {
            if (sizes[i] < 0) {
                throw new FrameException("the chunk size " + sizes[i] + " is negative");
            }
            if (sizes[i] > Frame.MAX_CHUNK_BYTES) {
                throw new TooLargeException("a chunk of " + sizes[i] + " bytes is larger than the limit of "
                        + Frame.MAX_CHUNK_BYTES + "; split it");
            }
        }
    }

    private static boolean isZeroed(MutationHeader header) {
        return (header.flags() & ChunkLayouts.FLAG_ZEROED) != 0;
    }

    /**
     * Creates the chunks, all or none.
     *
     * @throws dev.granary.memory.ChunkMemoryException when there is no room or no LID; nothing has changed
     */
    static void create(ServedChunks chunks, MutationHeader header, ByteBuf in, Scratch scratch, ByteBuf out) {
        int count = header.count();
        MemorySegment source = isZeroed(header) ? null : payloads(in);
        if (count == 1) {
            scratch.cids[0] = createOne(chunks.memory(), scratch.sizes[0], source);
        } else {
            chunks.memory().create(count, scratch.sizes, source, 0, scratch.cids);
        }
        out.writeIntLE(count);
        Segments.writeLongs(out, scratch.cids, count);
    }

    private static long createOne(ChunkMemory memory, int sizeBytes, @Nullable MemorySegment source) {
        return source == null ? memory.create(sizeBytes) : memory.create(source, 0, sizeBytes);
    }

    /** Replaces the chunks one by one, but for those that are done; the results of the scratch take their states. */
    static void put(ServedChunks chunks, MutationHeader header, ByteBuf in, Scratch scratch, ByteBuf out) {
        int count = header.count();
        MemorySegment source = payloads(in);
        long offset = 0;
        out.writeIntLE(count);
        for (int i = 0; i < count; i++) {
            int done = scratch.results[i];
            int status = done == Completion.UNDONE ? chunks.statusOf(scratch.cids[i]) : done;
            if (done == Completion.UNDONE && status == ChunkStatus.OK) {
                long cid = scratch.cids[i];
                long token = hasTokens(header) ? scratch.tokens[i] : 0;
                long from = offset;
                int sizeBytes = scratch.sizes[i];
                status = token == 0
                        ? replace(chunks.memory(), cid, source, from, sizeBytes)
                        : chunks.tokens()
                                .change(cid, token, () -> replace(chunks.memory(), cid, source, from, sizeBytes));
            }
            offset += scratch.sizes[i];
            scratch.results[i] = status;
            out.writeByte(status);
        }
    }

    private static int replace(ChunkMemory memory, long cid, MemorySegment source, long offset, int sizeBytes) {
        try {
            return memory.replace(cid, source, offset, sizeBytes) ? ChunkStatus.OK : ChunkStatus.NOT_FOUND;
        } catch (OutOfChunkMemoryException e) {
            return ChunkStatus.OUT_OF_MEMORY;
        }
    }

    /** Shows the tokens of locks to their chunks; the results of the scratch take their states. */
    static void fence(ServedChunks chunks, int count, Scratch scratch, ByteBuf out) {
        out.writeIntLE(count);
        for (int i = 0; i < count; i++) {
            long cid = scratch.cids[i];
            int status = chunks.statusOf(cid);
            if (status == ChunkStatus.OK) {
                status = chunks.tokens().change(cid, scratch.tokens[i], () -> presence(chunks.memory(), cid));
            }
            scratch.results[i] = status;
            out.writeByte(status);
        }
    }

    private static int presence(ChunkMemory memory, long cid) {
        return memory.sizeOf(cid) == ChunkMemory.ABSENT ? ChunkStatus.NOT_FOUND : ChunkStatus.OK;
    }

    private static void deleteWithTokens(ServedChunks chunks, int count, Scratch scratch, ByteBuf out) {
        out.writeIntLE(count);
        for (int i = 0; i < count; i++) {
            long cid = scratch.cids[i];
            int done = scratch.results[i];
            int status = done == Completion.UNDONE ? chunks.statusOf(cid) : done;
            if (done == Completion.UNDONE && status == ChunkStatus.OK) {
                status = chunks.tokens()
                        .change(
                                cid,
                                scratch.tokens[i],
                                () -> chunks.memory().delete(cid) ? ChunkStatus.OK : ChunkStatus.NOT_FOUND);
            }
            scratch.results[i] = status;
            out.writeByte(status);
        }
    }

    /** Deletes the chunks one by one, but for those that are done; the results of the scratch take their states. */
    static void delete(ServedChunks chunks, MutationHeader header, Scratch scratch, ByteBuf out) {
        int count = header.count();
        if (hasTokens(header)) {
            deleteWithTokens(chunks, count, scratch, out);
            return;
        }
        out.writeIntLE(count);
        int next = 0;
        while (next < count) {
            int done = scratch.results[next];
            int status = done == Completion.UNDONE ? chunks.statusOf(scratch.cids[next]) : done;
            if (done != Completion.UNDONE || status != ChunkStatus.OK) {
                scratch.results[next++] = status;
                out.writeByte(status);
                continue;
            }
            int end = endOfRun(chunks, scratch, next, count);
            chunks.memory().delete(scratch.cids, next, end, scratch.deleted);
            for (; next < end; next++) {
                scratch.results[next] = scratch.deleted[next] ? ChunkStatus.OK : ChunkStatus.NOT_FOUND;
                out.writeByte(scratch.results[next]);
            }
        }
    }

    /** The end of the chunks from an index on that are to be deleted and may be there. */
    private static int endOfRun(ServedChunks chunks, Scratch scratch, int from, int to) {
        int end = from;
        while (end < to
                && scratch.results[end] == Completion.UNDONE
                && chunks.statusOf(scratch.cids[end]) == ChunkStatus.OK) {
            end++;
        }
        return end;
    }

    /** The expected size of a reply's payload. */
    static int replyBytes(Operation operation, int count) {
        return Integer.BYTES + count * (operation == Operation.CREATE ? Long.BYTES : 1);
    }

    private static MemorySegment payloads(ByteBuf in) {
        return Segments.of(in, in.readerIndex(), in.readableBytes());
    }

    /** A chunk that is larger than a frame can carry. */
    static final class TooLargeException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TooLargeException(String message) {
            super(message);
        }
    }
}
