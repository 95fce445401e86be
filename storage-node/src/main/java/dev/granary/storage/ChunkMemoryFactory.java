package dev.granary.storage;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;

/** Opens the chunk memory of a storage peer, once its NID and first LID are known. */
@FunctionalInterface
public interface ChunkMemoryFactory {

    /** A new, empty memory; whoever asked for it closes it. */
    ChunkMemory open(ChunkMemoryConfig config);
}
