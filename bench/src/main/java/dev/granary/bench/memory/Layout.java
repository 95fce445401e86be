package dev.granary.bench.memory;

import dev.granary.memory.ChunkMemoryConfig;
import dev.granary.memory.MemoryLayout;
import java.util.Locale;

/** The layout of chunk memory. */
public enum Layout {
    /** The papers' form: a table entry of 8 bytes and a marker byte for each chunk. */
    CLASSIC(9.3),
    /** Pages of slots of one exact size. */
    TYPED(1.2);

    private static final double HEADROOM = 1.05;
    private static final long FIXED_BYTES = 192L << 20;

    private final double expectedOverheadBytes;

    Layout(double expectedOverheadBytes) {
        this.expectedOverheadBytes = expectedOverheadBytes;
    }

    ChunkMemoryConfig apply(ChunkMemoryConfig config) {
        return config.withLayout(this == CLASSIC ? MemoryLayout.CLASSIC : MemoryLayout.TYPED);
    }

    /** The bytes of RAM that {@code chunks} chunks are expected to take. */
    public long expectedBytes(long chunks, long payloadBytes) {
        return payloadBytes + (long) (chunks * expectedOverheadBytes);
    }

    /** The size in bytes of a VMB for {@code chunks} chunks, with headroom. */
    public long capacityBytes(long chunks, long payloadBytes) {
        return (long) (expectedBytes(chunks, payloadBytes) * HEADROOM) + FIXED_BYTES;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
