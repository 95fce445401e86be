package dev.granary.memory;

/**
 * How a chunk memory takes its memory from the operating system.
 *
 * @param maxCapacityBytes up to where the capacity may grow later: this much address space is reserved, which costs
 *     next
 *     to nothing; 0 for no growth
 * @param hugePages whether the operating system is asked for huge pages: a third less latency, and memory taken 2 MiB
 *     at a time; {@link MemoryFromSystem} tells how many there are
 * @param lockInMemory whether memory that is in use is locked into RAM, never swapped out
 * @param preTouch whether all memory of the capacity is taken when the memory is opened, and kept until the capacity is
 *     lowered: slow to start, but the operating system cannot refuse it later
 * @param numaNode the NUMA node whose memory is preferred, or {@link #ANY_NODE}
 * @param progress takes the progress of {@code preTouch}
 */
public record SystemMemoryConfig(
        long maxCapacityBytes,
        boolean hugePages,
        boolean lockInMemory,
        boolean preTouch,
        int numaNode,
        PreTouchProgress progress) {

    /** Memory of whichever node. */
    public static final int ANY_NODE = -1;

    /** The highest number of a node. */
    public static final int MAX_NODE = 1023;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one of the numbers is out of its range
     */
    public SystemMemoryConfig {
        if (maxCapacityBytes < 0 || maxCapacityBytes > ChunkMemoryConfig.MAX_CAPACITY_BYTES) {
            throw new IllegalArgumentException("maxCapacityBytes is " + maxCapacityBytes + ", allowed are 0 to "
                    + ChunkMemoryConfig.MAX_CAPACITY_BYTES);
        }
        if (numaNode < ANY_NODE || numaNode > MAX_NODE) {
            throw new IllegalArgumentException(
                    "numaNode is " + numaNode + ", allowed are 0 to " + MAX_NODE + ", or " + ANY_NODE + " for any");
        }
    }

    /** Huge pages, nothing else. */
    public static SystemMemoryConfig defaults() {
        return new SystemMemoryConfig(0, true, false, false, ANY_NODE, PreTouchProgress.NONE);
    }

    /** The same with another limit of growth. */
    public SystemMemoryConfig withMaxCapacityBytes(long bytes) {
        return new SystemMemoryConfig(bytes, hugePages, lockInMemory, preTouch, numaNode, progress);
    }

    /** The same with or without huge pages. */
    public SystemMemoryConfig withHugePages(boolean wanted) {
        return new SystemMemoryConfig(maxCapacityBytes, wanted, lockInMemory, preTouch, numaNode, progress);
    }

    /** The same with or without locking. */
    public SystemMemoryConfig withLockInMemory(boolean wanted) {
        return new SystemMemoryConfig(maxCapacityBytes, hugePages, wanted, preTouch, numaNode, progress);
    }

    /** The same with memory taken at the start or as it is used. */
    public SystemMemoryConfig withPreTouch(boolean wanted) {
        return new SystemMemoryConfig(maxCapacityBytes, hugePages, lockInMemory, wanted, numaNode, progress);
    }

    /** The same with another NUMA node. */
    public SystemMemoryConfig withNumaNode(int node) {
        return new SystemMemoryConfig(maxCapacityBytes, hugePages, lockInMemory, preTouch, node, progress);
    }

    /** Returns the same configuration with another listener for the progress. */
    public SystemMemoryConfig withProgress(PreTouchProgress listener) {
        return new SystemMemoryConfig(maxCapacityBytes, hugePages, lockInMemory, preTouch, numaNode, listener);
    }

    /**
     * Checks that this suits a capacity.
     *
     * @throws IllegalArgumentException if the capacity could only shrink
     */
    public void check(long capacityBytes) {
        if (maxCapacityBytes != 0 && maxCapacityBytes < capacityBytes) {
            throw new IllegalArgumentException("maxCapacityBytes is " + maxCapacityBytes
                    + ", which is less than the capacity of " + capacityBytes + " B: leave it 0 if nothing shall grow");
        }
    }
}
