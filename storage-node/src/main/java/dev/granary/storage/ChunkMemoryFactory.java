package dev.granary.storage;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;

/** Opens the chunk memory of a storage peer, once its NID and first LID are known. */
@FunctionalInterface
public interface ChunkMemoryFactory {

    /** Returns a new, empty chunk memory, which the caller closes. */
    ChunkMemory open(ChunkMemoryConfig config);

    /** Takes a memory that was loaded from a dump as if it had been opened here. */
    default ChunkMemory loaded(ChunkMemory memory) {
        return memory;
    }
}
