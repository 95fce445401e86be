package dev.granary.tools.bench;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/** Contents of chunks by which each can be told from all others. */
final class ChunkValues {

    static final int BYTES = 64;

    private ChunkValues() {}

    /** The content of a chunk by its number. */
    static byte[] of(int number) {
        ByteBuffer value = ByteBuffer.allocate(BYTES);
        while (value.hasRemaining()) {
            value.putLong(number);
        }
        return value.array();
    }

    /** Those of the numbers from one on and below another one. */
    static List<byte[]> list(int from, int to) {
        return IntStream.range(from, to).mapToObj(ChunkValues::of).toList();
    }
}
