package dev.granary.memory;

/** How a chunk is locked by a caller of {@link ChunkMemory}. */
public enum LockMode {

    /** Shared with other readers; keeps writers out. */
    READ,

    /** Alone; keeps readers and other writers out. */
    WRITE
}
