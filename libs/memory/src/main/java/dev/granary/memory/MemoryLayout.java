package dev.granary.memory;

/** How a {@link ChunkMemory} lays chunks out. Operations mean the same in both. */
public enum MemoryLayout {

    /**
     * The papers' form (DXMem section V): an 8-byte entry for each chunk and one marker byte between two blocks, some
     * 9.1 B a chunk.
     */
    CLASSIC,

    /**
     * Pages whose slots have one exact size, so that addresses are computed, and groups of packed chunks for all other
     * sizes (ADR 0090): a fraction of a byte a chunk for common sizes, under 2 B for any mixture.
     */
    TYPED
}
