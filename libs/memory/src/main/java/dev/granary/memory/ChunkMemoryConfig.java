package dev.granary.memory;

/**
 * How a {@link ChunkMemory} is opened.
 *
 * @param nid the NID in the CIDs of its chunks, 1 to 65535
 * @param firstLid the lowest LID that it may give, 1 to {@link ChunkMemory#MAX_LID}: above every LID that the peer's
 *     earlier incarnations gave
 * @param capacityBytes the size of the VMB, {@link #MIN_CAPACITY_BYTES} to {@link #MAX_CAPACITY_BYTES}; address space
 *     is taken at once, memory as it is used
 * @param layout how chunks are laid out
 * @param system how memory is taken from the operating system
 */
public record ChunkMemoryConfig(
        int nid, long firstLid, long capacityBytes, MemoryLayout layout, SystemMemoryConfig system) {

    /** 1 MiB. */
    public static final long MIN_CAPACITY_BYTES = 1L << 20;

    /** 8 TiB: addresses have 43 bits. */
    public static final long MAX_CAPACITY_BYTES = 1L << 43;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one of the numbers is out of its range
     */
    public ChunkMemoryConfig {
        check("nid", nid, 1, 65535);
        check("firstLid", firstLid, 1, ChunkMemory.MAX_LID);
        check("capacityBytes", capacityBytes, MIN_CAPACITY_BYTES, MAX_CAPACITY_BYTES);
    }

    /** A memory of a new peer: LIDs from 1 on, typed pages, huge pages. */
    public static ChunkMemoryConfig of(int nid, long capacityBytes) {
        return new ChunkMemoryConfig(nid, 1, capacityBytes, MemoryLayout.TYPED, SystemMemoryConfig.defaults());
    }

    /** The same with another first LID. */
    public ChunkMemoryConfig withFirstLid(long lid) {
        return new ChunkMemoryConfig(nid, lid, capacityBytes, layout, system);
    }

    /** The same with another layout. */
    public ChunkMemoryConfig withLayout(MemoryLayout wanted) {
        return new ChunkMemoryConfig(nid, firstLid, capacityBytes, wanted, system);
    }

    /** The same with memory taken in another way. */
    public ChunkMemoryConfig withSystem(SystemMemoryConfig wanted) {
        return new ChunkMemoryConfig(nid, firstLid, capacityBytes, layout, wanted);
    }

    /** The same with or without huge pages. */
    public ChunkMemoryConfig withHugePages(boolean wanted) {
        return withSystem(system.withHugePages(wanted));
    }

    private static void check(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", allowed are " + min + " to " + max);
        }
    }
}
