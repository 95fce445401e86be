package dev.granary.tools.bench;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.IntStream;

/** Contents of chunks that all differ from each other. */
final class ChunkValues {

    static final int BYTES = 64;

    private ChunkValues() {}

    /** The content of the chunk with a number. */
    static byte[] of(int number) {
        ByteBuffer value = ByteBuffer.allocate(BYTES);
        while (value.hasRemaining()) {
            value.putLong(number);
        }
        return value.array();
    }

    /** The contents of the chunks with the numbers from {@code from} (inclusive) to {@code to} (exclusive). */
    static List<byte[]> list(int from, int to) {
        return IntStream.range(from, to).mapToObj(ChunkValues::of).toList();
    }
}
