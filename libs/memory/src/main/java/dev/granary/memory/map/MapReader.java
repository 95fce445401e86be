package dev.granary.memory.map;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/** Finds entries and copies values, without a latch: it reads, then looks whether somebody wrote meanwhile. */
final class MapReader {

    /** Results below this mean a value too large for its target, of {@code TOO_LARGE - result} bytes. */
    static final int TOO_LARGE = -10;

    /** What was read made no sense. */
    private static final int TORN = -3;

    /** How often a read is tried without a latch. */
    private static final int TRIES = 64;

    private final MapMemory memory;
    private final MapDirectory directory;
    private final MapUses uses;
    private final LongSupplier now;

    MapReader(MapMemory memory, MapDirectory directory, MapUses uses, LongSupplier now) {
        this.memory = memory;
        this.directory = directory;
        this.uses = uses;
        this.now = now;
    }

    /**
     * Copies a value.
     *
     * @return its size, {@link OffHeapMap#ABSENT}, or a number below {@link #TOO_LARGE}
     */
    int get(
            long hash,
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment target,
            long targetOffset,
            long capacityBytes) {
        for (int tries = 0; tries < TRIES; tries++) {
            long group = directory.groupOf(hash);
            long version = directory.version(group);
            if ((version & 1) == 0 && directory.groupOf(hash) == group) {
                long word = directory.block(group);
                int result = copy(group, word, hash, key, keyOffset, keyBytes, target, targetOffset, capacityBytes);
                if (directory.isSame(group, version)) {
                    return sane(result);
                }
            }
            MapDirectory.pause(tries);
        }
        long group = directory.latch(hash);
        try {
            long word = directory.block(group);
            return sane(copy(group, word, hash, key, keyOffset, keyBytes, target, targetOffset, capacityBytes));
        } finally {
            directory.unlatchUnchanged(group);
        }
    }

    /** A value's size or {@link OffHeapMap#ABSENT}. */
    int sizeOf(long hash, MemorySegment key, long keyOffset, int keyBytes) {
        int result = get(hash, key, keyOffset, keyBytes, key, 0, -1);
        return result < TOO_LARGE ? sizeOfTooLarge(result) : result;
    }

    /** When an entry expires, or {@link OffHeapMap#ABSENT}. */
    long expiryOf(long hash, MemorySegment key, long keyOffset, int keyBytes) {
        long group = directory.latch(hash);
        try {
            long word = directory.block(group);
            if (word == 0) {
                return OffHeapMap.ABSENT;
            }
            long block = MapBlockSizes.address(word);
            long header = memory.word(block);
            int size = MapBlockSizes.sizeOf(word);
            long found = MapGroup.find(memory, block, size, header, hash, key, keyOffset, keyBytes);
            if (found < 0) {
                return sane((int) found);
            }
            long expiry = MapExpiries.get(memory, block, header, MapGroup.foundIndex(found));
            return isExpired(expiry) ? OffHeapMap.ABSENT : expiry;
        } finally {
            directory.unlatchUnchanged(group);
        }
    }

    boolean isExpired(long expiryMillis) {
        return expiryMillis != OffHeapMap.NEVER && expiryMillis <= now.getAsLong();
    }

    /** A result below {@link #TOO_LARGE} for a value of this size. */
    static int tooLarge(int valueBytes) {
        return TOO_LARGE - 1 - valueBytes;
    }

    /** The size of a value from a result below {@link #TOO_LARGE}. */
    static int sizeOfTooLarge(int result) {
        return TOO_LARGE - 1 - result;
    }

    private int copy(
            long group,
            long word,
            long hash,
            MemorySegment key,
            long keyOffset,
            int keyBytes,
            MemorySegment target,
            long targetOffset,
            long capacityBytes) {
        if (word == 0) {
            return OffHeapMap.ABSENT;
        }
        long block = MapBlockSizes.address(word);
        int blockBytes = MapBlockSizes.sizeOf(word);
        long header = memory.word(block);
        long found = MapGroup.find(memory, block, blockBytes, header, hash, key, keyOffset, keyBytes);
        if (found < 0) {
            return found == MapGroup.NONE ? OffHeapMap.ABSENT : TORN;
        }
        return copyFound(group, block, header, found, keyBytes, target, targetOffset, capacityBytes);
    }

    /** Copies the value of an entry that has the key, and notes that it was got. */
    int copyFound(
            long group,
            long block,
            long header,
            long found,
            int keyBytes,
            MemorySegment target,
            long targetOffset,
            long capacityBytes) {
        if (MapGroup.hasExpiry(header)
                && isExpired(MapExpiries.get(memory, block, header, MapGroup.foundIndex(found)))) {
            return OffHeapMap.ABSENT;
        }
        long position = block + MapGroup.foundPosition(found);
        boolean forward = MapGroup.isForward(found);
        int size = forward ? MapChains.valueBytes(memory, position) : MapGroup.foundValueBytes(found);
        if (size > capacityBytes) {
            return tooLarge(size);
        }
        uses.mark(group, MapGroup.foundIndex(found));
        if (!forward) {
            memory.copyOut(position + keyBytes, target, targetOffset, size);
            return size;
        }
        long first = MapChains.first(memory, position);
        return MapChains.copyOut(memory, first, keyBytes, target, targetOffset, size) ? size : TORN;
    }

    private static int sane(int result) {
        if (result == TORN || result == MapGroup.TORN) {
            throw new IllegalStateException("a group of the off-heap map is damaged");
        }
        return result;
    }
}
