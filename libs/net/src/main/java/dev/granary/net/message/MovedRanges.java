package dev.granary.net.message;

import dev.granary.overlay.CidRange;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * Stands behind the reply to a get, put or delete when some of the chunks are {@link ChunkStatus#WRONG_OWNER}: who has
 * them, as far as the answering peer knows, so that the caller need not ask a super-peer. A list of ranges; may be missing.
 */
public final class MovedRanges {

    /** More are not told. */
    public static final int MAX_RANGES = 64;

    private MovedRanges() {}

    /** Appends them. */
    public static void write(ByteBuf out, List<CidRange> ranges) {
        Wire.writeList(out, ranges, Wire::writeRange);
    }

    /** Reads what is left of a reply; nothing when it has none. */
    public static List<CidRange> read(ByteBuf in) {
        return in.isReadable() ? Wire.readList(in, Wire::readRange) : List.of();
    }
}
