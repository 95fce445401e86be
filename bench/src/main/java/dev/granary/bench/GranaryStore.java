package dev.granary.bench;

import dev.granary.memory.ChunkMemory;
import dev.granary.memory.ChunkMemoryConfig;
import java.lang.foreign.MemorySegment;

/** Chunk memory, loaded with chunks that have the LIDs from 1 on. */
final class GranaryStore implements Store {

    static final int NID = 0x8000;
    static final long FIRST_CID = 0x8000_0000_0000_0001L;

    private final ChunkMemory memory;
    private final int sizeBytes;

    GranaryStore(ChunkMemory memory, int sizeBytes) {
        this.memory = memory;
        this.sizeBytes = sizeBytes;
    }

    /** An empty memory with room for so many chunks. */
    static ChunkMemory open(int count, int sizeBytes) {
        long capacity = (long) count * (sizeBytes + 10) * 5 / 4 + (64L << 20);
        ChunkMemory memory = ChunkMemory.open(ChunkMemoryConfig.of(NID, capacity));
        memory.reserveLids(ChunkMemory.MAX_LID + 1);
        return memory;
    }

    ChunkMemory memory() {
        return memory;
    }

    @Override
    public void get(int index, MemorySegment buffer) {
        if (memory.get(FIRST_CID + index, buffer, 0, sizeBytes) != sizeBytes) {
            throw new IllegalStateException("chunk " + index + " is missing");
        }
    }

    @Override
    public void put(int index, MemorySegment buffer) {
        if (!memory.put(FIRST_CID + index, buffer, 0, sizeBytes)) {
            throw new IllegalStateException("chunk " + index + " is missing");
        }
    }

    @Override
    public void close() {
        memory.close();
    }
}
