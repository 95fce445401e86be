package dev.granary.memory.map;

/**
 * Figures of an {@link OffHeapMap}, in bytes but for the numbers of entries and groups.
 *
 * <p>{@code payloadBytes + bookkeepingBytes() + freeBytes = committedBytes + heapBytes}.
 *
 * @param entries how many entries there are
 * @param groups how many groups they are spread over
 * @param payloadBytes what their keys and values take
 * @param groupBytes what groups and chains of large entries take besides: headers, columns, slack
 * @param directoryBytes the directory of groups, and the bits of use where it evicts by use
 * @param tableBytes the table of slabs
 * @param heapBytes counters and locks on the Java heap, about
 * @param freeBytes free blocks and free slabs that were not given back to the operating system
 * @param committedBytes how much may take memory: what has been used so far and was not given back
 * @param capacityBytes what the map was opened with
 * @param movedBytes how much has been moved so far to make sparse slabs free
 * @param evictedEntries how many entries have been removed so far to make way for others
 */
public record OffHeapMapStatistics(
        long entries,
        long groups,
        long payloadBytes,
        long groupBytes,
        long directoryBytes,
        long tableBytes,
        long heapBytes,
        long freeBytes,
        long committedBytes,
        long capacityBytes,
        long movedBytes,
        long evictedEntries) {

    /** Everything that is not payload and not free. */
    public long bookkeepingBytes() {
        return groupBytes + directoryBytes + tableBytes + heapBytes;
    }

    /** Everything beside keys and values, free bytes included, for one entry. */
    public double overheadBytesPerEntry() {
        return entries == 0 ? 0 : (double) (committedBytes + heapBytes - payloadBytes) / entries;
    }
}
