package dev.granary.memory.arena;

import dev.granary.memory.os.Vmb;

/** Where an operation gets blocks and leaves them: one stripe whose lock it holds, or whichever has room. */
public interface BlockSource {

    /**
     * Allocates a block.
     *
     * @param alignment a power of two up to 64 that the address shall be a multiple of
     * @param kind of {@link Marker}
     * @return its address, or 0 if there is no room
     */
    long allocate(long sizeBytes, int alignment, int kind);

    /** Frees a block, at once or as soon as its arena is used next. */
    void free(long block, long sizeBytes);

    /** Allocates the block of a chunk and writes its length bytes. Returns its entry, or 0 if there is no room. */
    default long allocateChunk(Vmb vmb, int sizeBytes) {
        if (sizeBytes == 0) {
            return EntryLayout.EMPTY_CHUNK;
        }
        long block = allocate(Chunks.blockBytes(sizeBytes), 1, Marker.chunk(sizeBytes));
        if (block == 0) {
            return EntryLayout.NO_CHUNK;
        }
        Chunks.writeLength(vmb, block, sizeBytes);
        return EntryLayout.entry(block, sizeBytes);
    }

    /** Frees the block of a chunk's entry, if it has one. */
    default void freeChunk(long entry, int sizeBytes) {
        if (EntryLayout.address(entry) != EntryLayout.EMPTY_CHUNK) {
            free(EntryLayout.address(entry), Chunks.blockBytes(sizeBytes));
        }
    }
}
