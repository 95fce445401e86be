package dev.granary.memory;

/**
 * Figures of a {@link ChunkMemory}, all in bytes except the first.
 *
 * <p>{@code payloadBytes + bookkeepingBytes() + freeBytes = capacityBytes + heapBytes}: every byte of the VMB is
 * payload, bookkeeping or free.
 *
 * @param chunks how many chunks there are
 * @param payloadBytes the sum of their sizes
 * @param tableBytes CID tables of all levels, used entries or not
 * @param blockBytes marker and length bytes of allocated blocks
 * @param headerBytes what the VMB needs besides: root, anchors of the free lists, ends of regions, an unusable rest,
 *     and what is {@linkplain ChunkMemory#setAside set aside}
 * @param heapBytes bookkeeping on the Java heap: caches of free LIDs, owners of extents
 * @param freeBytes free blocks with their marker bytes, and what was never used
 * @param committedBytes how much of the VMB has been used so far and may take memory
 * @param capacityBytes the size of the VMB
 */
public record MemoryStatistics(
        long chunks,
        long payloadBytes,
        long tableBytes,
        long blockBytes,
        long headerBytes,
        long heapBytes,
        long freeBytes,
        long committedBytes,
        long capacityBytes) {

    /** Everything that is not payload and not free. */
    public long bookkeepingBytes() {
        return tableBytes + blockBytes + headerBytes + heapBytes;
    }

    /** Payload and bookkeeping. */
    public long usedBytes() {
        return payloadBytes + bookkeepingBytes();
    }
}
