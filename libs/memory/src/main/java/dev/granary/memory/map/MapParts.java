package dev.granary.memory.map;

import org.jspecify.annotations.Nullable;

/** What the parts of an {@link OffHeapMap} share. */
record MapParts(
        MapMemory memory,
        MapDirectory directory,
        MapSlabs slabs,
        MapGroups groups,
        MapChains chains,
        MapCounters counters,
        long seed,
        long capacityBytes,
        MapUses uses,
        long limitBytes,
        OffHeapMapEviction eviction,
        @Nullable OffHeapMapListener listener) {

    /** Slabs of this many to a map, so that 128 classes of blocks do not keep too much of it. */
    private static final long SLABS_WANTED = 4096;

    private static final int MIN_SLAB_SHIFT = 16;
    private static final int MAX_SLAB_SHIFT = 18;

    /** The directory has one entry for this many bytes of the map, which is less than an average group has. */
    private static final long GROUP_BYTES = 256;

    private static final long ALIGNMENT_BYTES = 2L << 20;

    /** Takes the memory and lays it out: directory, table of slabs, uses, slabs. */
    static MapParts of(OffHeapMapConfig config) {
        long capacity = config.capacityBytes();
        int shift = Math.clamp(63 - Long.numberOfLeadingZeros(capacity / SLABS_WANTED), MIN_SLAB_SHIFT, MAX_SLAB_SHIFT);
        long slabCount = capacity >>> shift;
        long maxGroups = Math.max(capacity / GROUP_BYTES, MapDirectory.MIN_GROUPS);
        long table = align(maxGroups * MapDirectory.ENTRY_BYTES);
        boolean byUse = config.eviction() == OffHeapMapEviction.SIEVE;
        long useStart = align(table + slabCount * MapSlabs.TABLE_ENTRY_BYTES);
        long slabStart = align(useStart + (byUse ? maxGroups * MapUses.BYTES : 0));
        // Behind the last slab there is room for reads of what is no block.
        long total = slabStart + (slabCount << shift) + 2L * MapBlockSizes.MAX_BYTES;
        MapMemory memory = new MapMemory(total, config.hugePages());
        MapUses uses = new MapUses(memory, useStart, byUse);
        MapDirectory directory = new MapDirectory(memory, 0, maxGroups);
        MapSlabs slabs = new MapSlabs(memory, table, slabStart, (int) slabCount, shift);
        int maxBlock = MapSlabs.maxBlockBytes(shift);
        MapGroups groups = new MapGroups(memory, directory, slabs, uses, maxBlock);
        MapChains chains = new MapChains(memory, slabs, maxBlock);
        return new MapParts(
                memory,
                directory,
                slabs,
                groups,
                chains,
                new MapCounters(),
                config.seed(),
                capacity,
                uses,
                config.limitBytes(),
                config.eviction(),
                config.listener());
    }

    private static long align(long bytes) {
        return (bytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
    }
}
