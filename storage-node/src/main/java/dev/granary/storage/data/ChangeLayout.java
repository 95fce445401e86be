package dev.granary.storage.data;

import dev.granary.net.Frame;
import dev.granary.net.FrameException;
import dev.granary.net.message.ChunkLayouts;
import dev.granary.net.message.Durability;
import dev.granary.net.message.MutationHeader;
import io.netty.buffer.ByteBuf;

/** Reads requests that change chunks, and checks them before anything is changed. Stateless. */
final class ChangeLayout {

    private ChangeLayout() {}

    /**
     * Reads the header.
     *
     * @throws FrameException when it has no request id
     */
    static MutationHeader readHeader(ByteBuf in) {
        MutationHeader header = MutationHeader.read(in);
        requireCount(header.count());
        if (header.clientId() == 0
                || header.sequence() < 1
                || header.ackedSequence() < 0
                || header.ackedSequence() >= header.sequence()) {
            throw new FrameException("client %x, sequence %d, acknowledged %d are no request id"
                    .formatted(header.clientId(), header.sequence(), header.ackedSequence()));
        }
        return header;
    }

    /**
     * Reads the epoch of the incarnation that a create is for.
     *
     * @param present what a request is for that does not say it
     */
    static long readEpoch(Operation operation, MutationHeader header, ByteBuf in, long present) {
        if (operation != Operation.CREATE || (header.flags() & ChunkLayouts.FLAG_EPOCH) == 0) {
            return present;
        }
        requireBytes(in, Long.BYTES);
        return in.readLongLE();
    }

    /**
     * Reads what follows the header and the epoch into the scratch and checks it, up to where payloads begin.
     *
     * @throws FrameException when the request is malformed
     * @throws TooLargeException when a chunk is larger than a frame can carry
     */
    static void read(Operation operation, MutationHeader header, ByteBuf in, Scratch scratch) {
        int count = header.count();
        scratch.reserve(count);
        int allowedFlags = Durability.FLAGS
                | (operation == Operation.CREATE
                        ? ChunkLayouts.FLAG_ZEROED | ChunkLayouts.FLAG_EPOCH
                        : ChunkLayouts.FLAG_TOKENS);
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

    /** Whether each chunk comes with the token of a lock. */
    static boolean hasTokens(MutationHeader header) {
        return (header.flags() & ChunkLayouts.FLAG_TOKENS) != 0;
    }

    /** Whether the chunks are filled with zeros. */
    static boolean isZeroed(MutationHeader header) {
        return (header.flags() & ChunkLayouts.FLAG_ZEROED) != 0;
    }

    /** The expected size of a reply's payload. */
    static int replyBytes(Operation operation, int count) {
        return Integer.BYTES + count * (operation == Operation.CREATE ? Long.BYTES : 1);
    }

    static int requireCount(int count) {
        if (count < 0 || count > ChunkLayouts.MAX_COUNT) {
            throw new FrameException("a request for " + count + " chunks is outside 0.." + ChunkLayouts.MAX_COUNT);
        }
        return count;
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

    /** A chunk that is larger than a frame can carry. */
    static final class TooLargeException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        TooLargeException(String message) {
            super(message);
        }
    }
}
