package dev.granary.memory.map;

import dev.granary.memory.map.OffHeapMapListener.Change;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps a map below its limit of bytes. Goes over the groups in an order that meets all of them, and takes the same
 * share of the entries of each, for a bounded time.
 */
final class MapEvictor {

    /**
     * One of so many entries of a group goes at a time. A fixed number would let sizes of groups drift apart: a small
     * one would lose as many as a large one, though it gets fewer.
     */
    private static final int SHARE = 8;

    /** The same where much room is needed at once. */
    private static final int LARGE_SHARE = 2;

    private static final int LARGE_BYTES = 16 << 10;

    /** How many groups are looked at for one put at most, and how many entries go: some half a millisecond. */
    private static final int MAX_GROUPS = 512;

    private static final int MAX_ENTRIES = 1024;

    /** The golden ratio of 64 bits, odd: the lowest bits of its multiples meet every group, the highest are spread. */
    private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapSlabs slabs;
    private final MapUses uses;
    private final MapEntries entries;
    private final MapReader reader;
    private final MapGrowth growth;
    private final MapCleaner cleaner;
    private final OffHeapMapEviction policy;
    private final long limitBytes;
    private final long capacityBytes;
    private final AtomicLong next = new AtomicLong();
    private final AtomicLong evicted = new AtomicLong();

    MapEvictor(MapParts parts, MapReader reader, MapEntries entries, MapGrowth growth, MapCleaner cleaner) {
        this.memory = parts.memory();
        this.directory = parts.directory();
        this.slabs = parts.slabs();
        this.uses = parts.uses();
        this.policy = parts.eviction();
        this.limitBytes = parts.limitBytes();
        this.capacityBytes = parts.capacityBytes();
        this.reader = reader;
        this.entries = entries;
        this.growth = growth;
        this.cleaner = cleaner;
    }

    /** Whether so much more stays below the limit. */
    boolean fits(long bytes) {
        return limitBytes == Long.MAX_VALUE
                || slabs.takenBytes() + directory.groups() * directoryBytes() <= limitBytes - bytes;
    }

    /** What each group takes beside its block. */
    int directoryBytes() {
        return MapDirectory.ENTRY_BYTES + uses.bytesPerGroup();
    }

    /**
     * Evicts until there is room for so much more. The caller holds no latch.
     *
     * @return whether there is; not if the policy finds nothing, or not enough in the time that it has
     */
    boolean makeWay(long bytes) {
        if (policy == OffHeapMapEviction.NONE) {
            return fits(bytes);
        }
        int gone = 0;
        for (int i = 0; !fits(bytes); i++) {
            if (i == MAX_GROUPS || gone > MAX_ENTRIES) {
                return false;
            }
            gone += evictNext(bytes < LARGE_BYTES ? SHARE : LARGE_SHARE);
        }
        return true;
    }

    /**
     * Evicts something when no block can be had although the limit allows it. The caller holds no latch.
     *
     * @return whether something is gone
     */
    boolean shrink() {
        int gone = 0;
        for (int i = 0; policy != OffHeapMapEviction.NONE && i < MAX_GROUPS; i++) {
            gone += evictNext(SHARE);
        }
        return gone > 0;
    }

    /** What the map may take: its capacity, or its limit if that is less. */
    long roomBytes() {
        return Math.min(capacityBytes, limitBytes);
    }

    /** How many entries have been evicted so far. */
    long evicted() {
        return evicted.get();
    }

    private int evictNext(int share) {
        long turn = next.getAndAdd(STEP);
        long group = directory.groupOf(turn);
        int gone = 0;
        boolean changed = false;
        directory.latchGroup(group);
        try {
            // Rounded up or down at random, so that it is the share on average.
            int most = (int) ((entriesOf(group) + (turn >>> 32) % share) / share);
            for (; gone < most; gone++) {
                int victim = victim(group, MapBlockSizes.address(directory.block(group)));
                if (victim < 0) {
                    break;
                }
                changed = true;
                remove(group, victim);
            }
        } finally {
            if (changed) {
                directory.unlatch(group);
            } else {
                directory.unlatchUnchanged(group);
            }
        }
        if (gone > 0) {
            growth.afterRemove(group);
            cleaner.step();
        }
        return gone;
    }

    private int entriesOf(long group) {
        long word = directory.block(group);
        return word == 0 ? 0 : MapGroup.entries(memory.word(MapBlockSizes.address(word)));
    }

    private void remove(long group, int index) {
        long block = MapBlockSizes.address(directory.block(group));
        boolean expired = reader.isExpired(MapExpiries.get(memory, block, memory.word(block), index));
        entries.remove(group, index, expired ? Change.EXPIRED : Change.EVICTED);
        if (!expired) {
            evicted.incrementAndGet();
        }
    }

    /** The index of the entry to go next, or -1. What has expired goes first. */
    private int victim(long group, long block) {
        long header = memory.word(block);
        boolean byTime = MapGroup.hasExpiry(header)
                && (policy == OffHeapMapEviction.VOLATILE_TTL || reader.isExpired(MapExpiries.base(memory, block)));
        if (byTime) {
            int soonest = soonest(block, header);
            boolean goes = soonest >= 0
                    && (policy == OffHeapMapEviction.VOLATILE_TTL
                            || reader.isExpired(MapExpiries.get(memory, block, header, soonest)));
            if (goes) {
                return soonest;
            }
        }
        return policy == OffHeapMapEviction.SIEVE ? uses.victim(group, MapGroup.entries(header)) : -1;
    }

    private int soonest(long block, long header) {
        int soonest = -1;
        long least = OffHeapMap.MAX_EXPIRY_MILLIS;
        for (int i = 0; i < MapGroup.entries(header); i++) {
            long expiry = MapExpiries.get(memory, block, header, i);
            if (expiry != OffHeapMap.NEVER && expiry <= least) {
                soonest = i;
                least = expiry;
            }
        }
        return soonest;
    }
}
